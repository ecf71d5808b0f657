export default {
  "the system clock is {0} s behind the newest record of the state file; sandbox time continues at {1}. Correct the system clock, or set the time with --now.":
    "o relógio do sistema está {0} s atrás do registro mais novo do arquivo de estado; o relógio do sandbox continua a partir de {1}. Acerte o relógio do sistema ou defina o horário com --now.",
  "the trace was not written to {0}: {1}.": "o trace não foi gravado em {0}: {1}.",
  "unexpected error, seed {0}: {1}": "erro inesperado, seed {0}: {1}",
  "The option {0}: ": "A opção {0}: ",
  "The public URL is too long for BR Codes: they contain {0} instead of {1}. Everything else uses it.":
    "A URL pública não cabe nos BR Codes: eles contêm {0} em vez de {1}. Todo o resto usa a URL pública.",
  'The assumption "credentials" is "listed", but no credentials are listed.':
    'A premissa "credentials" é "listed", mas nenhuma credencial está listada.',
  "true or false": "true ou false",
  "a whole number from 0 to {0}": "um número inteiro de 0 a {0}",
  "a whole number, 0 or more": "um número inteiro, 0 ou mais",
  "a non-empty string": "um texto não vazio",
  "a list of non-empty strings": "uma lista de textos não vazios",
  Network: "Rede",
  "Time and ids": "Tempo e ids",
  Gateway: "Gateway",
  "Protection and team": "Proteção e equipe",
  "Start and output": "Início e saída",
  "the host name or address to listen on": "o nome ou endereço do servidor",
  "the port; 0 picks a free one": "a porta; 0 escolhe uma livre",
  "serve HTTPS with a self-signed certificate": "atende por HTTPS com um certificado autoassinado",
  "serve HTTPS with this PEM certificate; needs --tls-key":
    "atende por HTTPS com este certificado PEM; exige --tls-key",
  "the private key of the certificate, in PEM": "a chave privada do certificado, em PEM",
  "a URL without a query, such as https://pix.example.com":
    "uma URL sem parâmetros de consulta, como https://pix.example.com",
  "none; BR Codes have a host that cannot exist":
    "nenhuma; os BR Codes têm um host que não pode existir",
  "the URL at which others reach the sandbox, also in BR Codes":
    "a URL pela qual outros chegam ao sandbox, também nos BR Codes",
  "accept this host name too": "aceita também este nome de host",
  "an origin without a path, such as http://localhost:5173":
    "uma origem sem caminho, como http://localhost:5173",
  "a list of origins without a path, such as http://localhost:5173":
    "uma lista de origens sem caminho, como http://localhost:5173",
  "allow pages of this origin to call": "permite chamadas de páginas desta origem",
  "all hosts": "todos os hosts",
  "send webhooks for this host to another; for containers":
    "enviar a outro host os webhooks deste; para contêineres",
  "send webhooks to receivers with any certificate, such as a self-signed one":
    "envia webhooks a servidores com qualquer certificado, como um autoassinado",
  "two host names, such as localhost=host.docker.internal":
    "dois nomes de host, como localhost=host.docker.internal",
  "a list of host names in pairs, such as localhost=host.docker.internal":
    "uma lista de pares de nomes de host, como localhost=host.docker.internal",
  "send webhooks only to this machine": "envia webhooks só para esta máquina",
  "the JSON state file, or a PostgreSQL address (postgres://…)":
    "o arquivo de estado em JSON ou um endereço PostgreSQL (postgres://…)",
  "store nothing on disk": "não grava nada em disco",
  "how many finished webhooks to store": "quantos webhooks concluídos armazenar",
  "how many requests the log holds, in memory": "quantas requisições o log guarda, em memória",
  "a list of file names and fixtures objects":
    "uma lista de nomes de arquivo e objetos de fixtures",
  "a JSON file of initial payins, payouts and faults":
    "um arquivo JSON com as cobranças, os payouts e as falhas simuladas iniciais",
  "the same seed gives the same ids, also after a reset; without a seed ids are random":
    "a mesma seed gera os mesmos ids, também depois de um reset; sem seed, os ids são aleatórios",
  "whether time passes by itself": "se o relógio anda sozinho",
  "a time before the year 9000, such as 2026-11-21T12:00:00Z":
    "um horário antes do ano 9000, como 2026-11-21T12:00:00Z",
  "a time before the year 9000, as a Date or a string such as 2026-11-21T12:00:00Z":
    "um horário antes do ano 9000, como Date ou texto, por exemplo 2026-11-21T12:00:00Z",
  "the current time": "a hora atual",
  "the sandbox's initial time, in ISO 8601": "a hora inicial do sandbox, em ISO 8601",
  "an object with choices by assumption name": "um objeto com escolhas por nome de premissa",
  "select an assumption's choice": "define a escolha de uma premissa",
  "list every assumption that a response depends on in x-sandbox-assumption":
    "lista em x-sandbox-assumption cada premissa que afeta a resposta",
  "enable the magic values that `{0} magic` lists":
    "ativa os valores mágicos que `{0} magic` lista",
  "a list of objects with apiKey, apiSecret and merchantId, each a non-empty string (an apiSecret that starts with whsec_ continues with base64)":
    "uma lista de objetos com apiKey, apiSecret e merchantId, cada um um texto não vazio (um apiSecret que começa com whsec_ continua com base64)",
  "the accepted tokens for the assumption credentials=listed":
    "os tokens aceitos para a premissa credentials=listed",
  "the name of a city in Latin letters, such as Recife":
    "o nome de uma cidade em letras latinas, como Recife",
  "the city in BR Codes": "a cidade nos BR Codes",
  "a non-empty string of ASCII letters, digits and punctuation, without spaces":
    "um texto não vazio de letras, dígitos e pontuação ASCII, sem espaços",
  "protect /_sandbox: its calls and pages need this token":
    "protege /_sandbox: as chamadas e as páginas exigem este token",
  "pix-sandbox.config.json, if it exists": "pix-sandbox.config.json, se existir",
  "a JSON file with these options, assumptions and credentials":
    "um arquivo JSON com estas opções, premissas e credenciais",
  "write the ready object to this file when the port is open":
    "grava o objeto ready neste arquivo quando a porta abrir",
  "all; with --json and in exec: none": "all; com --json e no exec: none",
  "what to print as it happens": "o que imprimir enquanto roda",
  "print no banner and no log": "não imprime o banner nem o log",
  "open the inspector in the browser": "abre o inspetor no navegador",
  "the system's": "o do sistema",
  "the command's language": "o idioma do comando",
  "a function": "uma função",
  "receives internal problems": "recebe problemas internos",
  "; repeatable": "; pode se repetir",
  "The state is neither the path of a file nor an address of a supported kind: it begins with {0}. Use a path, or postgres://user:password@host/db?sandbox=name.":
    "O estado não é o caminho de um arquivo nem um endereço de um tipo suportado: ele começa com {0}. Use um caminho, ou postgres://user:password@host/db?sandbox=name.",
  "The options must be an object, not {0}. Omit them to use the defaults.":
    "As opções devem ser um objeto, não {0}. Omita-as para usar os valores padrão.",
  "It needs its private key too (tlsKey, --tls-key).":
    "Falta também a chave privada dele (tlsKey, --tls-key).",
  "It needs its certificate too (tlsCert, --tls-cert).":
    "Falta também o certificado dela (tlsCert, --tls-cert).",
  "Unknown option {0}. Did you mean {1}?": "Opção desconhecida: {0}. Você quis dizer {1}?",
  "Unknown option {0}. The options are {1}.": "Opção desconhecida: {0}. As opções são {1}.",
  "The option {0} must be {1}, not {2}.": "A opção {0} deve ser {1}, não {2}.",
  "another value": "outro valor",
  "The option assumptions: {0}": "A opção assumptions: {0}",
  "a list": "uma lista",
  "an object": "um objeto",
  "it must be a JSON object.": "deve ser um objeto JSON.",
  "it must be a list.": "deve ser uma lista.",
  ": it is nested more than {0} levels deep.": ": tem mais de {0} níveis.",
  "token must be text, and not empty.": "token deve ser um texto, e não vazio.",
  "The fixtures file {0}": "O arquivo de fixtures {0}",
  " cannot be read: {0}.": " não pode ser lido: {0}.",
  " is not JSON: {0}.": " não é JSON: {0}.",
  "The option fixtures": "A opção fixtures",
  ": {0} is none of payins, payouts and faults.":
    ": {0} não é `payins`, nem `payouts`, nem `faults`.",
  ": status must be one of {0}.": ": status deve ser um de {0}.",
  "Nothing listens at {0}.": "Não há nenhum servidor em {0}.",
  'The effect cannot be read: "{0}" in place of {1} would be another path of the address.':
    'O efeito não pode ser lido: "{0}" no lugar de {1} mudaria o caminho da URL.',
  "Invalid address of an effect: {0}.": "URL de efeito inválida: {0}.",
  "Use an address such as http://localhost:3000/orders/{description}: placeholders are allowed in its path and query, and it has no user and no fragment.":
    "Use uma URL como http://localhost:3000/orders/{description}: marcadores só no caminho e na query, sem usuário nem fragmento.",
  "The effect's address {0}: {1}": "A URL do efeito {0}: {1}",
  "responded with the status {0}": "respondeu com o status {0}",
  "sent a compressed body, which was not asked for":
    "enviou um corpo comprimido, que não foi pedido",
  "sent more than 1 MiB": "enviou mais de 1 MiB",
  "cannot be read ({0})": "não pode ser lido ({0})",
  "The effect cannot be read: {0} has no {1}.": "O efeito não pode ser lido: {0} não tem {1}.",
  "The effect's placeholder {{0}} has no value in {1}.":
    "O marcador {{0}} do efeito não tem valor em {1}.",
  "The effect cannot be read: {0} of {1} contains the character U+0000.":
    "O efeito não pode ser lido: {0} de {1} contém o caractere U+0000.",
  "The effect cannot be read: {0} of {1} is larger than 100 kB.":
    "O efeito não pode ser lido: {0} de {1} tem mais de 100 kB.",
  "the record": "o registro",
  "write what happened to an HTML file at the end":
    "grava no fim, em um arquivo HTML, o que aconteceu",
  "an object with a name and assumptions": "um objeto com um nome e premissas (assumptions)",
  "the choices of a profile, where --assume and the config file set none":
    "as escolhas de um perfil, onde --assume e o arquivo de configuração não definem nenhuma",
  "{0} cannot be used: {1}. Use a certificate in PEM, the server's own first, and its private key without a passphrase.":
    "Não é possível usar {0}: {1}. Use um certificado em PEM, com o do próprio servidor primeiro, e a chave privada dele sem senha.",
};
