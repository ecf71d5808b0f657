/** What the command line prints for others, who say it in English; {>0} is a place whose words are told likewise. */
export const OTHERS: Readonly<Record<string, string>> = {
  // commander, behind its "error:"
  "unknown option '{0}'{1}": "opção desconhecida '{0}'{>1}",
  "unknown command '{0}'{1}": "comando desconhecido '{0}'{>1}",
  "\n(Did you mean {0}?)": "\n(Você quis dizer {0}?)",
  "\n(Did you mean one of {0}?)": "\n(Você quis dizer um destes: {0}?)",
  "missing required argument '{0}'": "falta o argumento obrigatório '{0}'",
  "option '{0}' argument missing": "falta o valor da opção '{0}'",
  "option '{0}' argument '{1}' is invalid. {2}": "a opção '{0}' não aceita o valor '{1}'. {>2}",
  "option '{0}' value '{1}' from env '{2}' is invalid. {3}":
    "a opção '{0}' não aceita o valor '{1}' da variável '{2}'. {>3}",
  "command-argument value '{0}' is invalid for argument '{1}'. {2}":
    "o argumento '{1}' não aceita o valor '{0}'. {>2}",
  "Allowed choices are {0}.": "Os valores possíveis são {0}.",
  "too many arguments for '{0}'. Expected {1} argument but got {2}.":
    "argumentos demais para '{0}': esperado {1}, recebidos {2}.",
  "too many arguments for '{0}'. Expected {1} arguments but got {2}.":
    "argumentos demais para '{0}': esperados {1}, recebidos {2}.",

  // store
  "Move or remove it, or name another with --state.":
    "Mova-o ou remova-o, ou indique outro com --state.",
  "The state file {0} cannot be read: {1}.": "O arquivo de estado {0} não pode ser lido: {>1}.",
  "The state file {0} cannot be written: {1}.":
    "O arquivo de estado {0} não pode ser gravado: {1}.",
  "The folder of the state file {0} cannot be read: {1}.":
    "A pasta do arquivo de estado {0} não pode ser lida: {1}.",
  "The journal of the state file {0} cannot be read: {1}.":
    "O journal do arquivo de estado {0} não pode ser lido: {>1}.",
  "The journal of the state file {0} cannot be written: {1}.":
    "O journal do arquivo de estado {0} não pode ser gravado: {1}.",
  "The file {0} is no state of this version of pix-sandbox: {1}.":
    "O arquivo {0} não é um estado desta versão do pix-sandbox: {>1}.",
  "The state file {0} has changed since it was written: {1}.":
    "O arquivo de estado {0} mudou desde que foi gravado: {>1}.",
  "the same number of records, with other content":
    "o mesmo número de registros, com outro conteúdo",
  "the same number of records, laid out in another way":
    "o mesmo número de registros, dispostos de outra forma",
  "Restore the file as it was, or start without --strict-state to accept it.":
    "Restaure o arquivo como era, ou inicie sem --strict-state para aceitá-lo.",
  "its counts and checksum cannot be read":
    "as contagens e a soma de verificação não podem ser lidas",
  "There is no state file {0}.": "Não existe o arquivo de estado {0}.",
  "The state file {0} is in use by {1}.": "O arquivo de estado {0} está em uso: {>1}.",
  "the sandbox with the process id {0}": "o sandbox com o id de processo {0}",
  "the sandbox with the process id {0} on the host {1}":
    "o sandbox com o id de processo {0} no host {1}",
  "another sandbox": "outro sandbox",
  "If no sandbox runs there any more, remove its lock {0}.":
    "Se nenhum sandbox roda mais ali, remova a trava dele, {0}.",
  "The state cannot be opened: line {0} of {1} is damaged: {2}. Nothing was changed. To see what can be kept: pix-sandbox state check {3}; to keep it: pix-sandbox state repair {4}.":
    "O estado não pode ser aberto: a linha {0} de {1} está danificada: {>2}. Nada foi mudado. Para ver o que pode ser guardado: pix-sandbox state check {3}; para guardar: pix-sandbox state repair {4}.",
  "{0}, and {1} more": "{>0}, e outras {1}",
  "The state file {0} is gone, but not its journal {1}. Put the file back, remove the journal too, or rebuild the file from it: pix-sandbox state repair {2}.":
    "O arquivo de estado {0} sumiu, mas o journal dele, {1}, não. Devolva o arquivo, remova também o journal, ou refaça o arquivo a partir dele: pix-sandbox state repair {2}.",
  "The state file {0} is gone, and its journal does not begin at the beginning: nothing can be rebuilt from it. Put the file back, or remove the journal too to start anew.":
    "O arquivo de estado {0} sumiu, e o journal dele não começa do começo: nada pode ser refeito a partir dele. Devolva o arquivo, ou remova também o journal para começar de novo.",
  "pix-sandbox: {0}": "pix-sandbox: {>0}",
  "Changes are refused until writing works again. The sandbox retries on each change and every few seconds. If the disk is full, free some space.":
    "As mudanças são recusadas até que a gravação volte a funcionar, o que é tentado a cada mudança e a cada poucos segundos. Um disco cheio precisa de espaço.",
  "The state file {0} can be written again: changes are accepted.":
    "O arquivo de estado {0} pode ser gravado de novo: as mudanças são aceitas.",
  "The state file {0} could not be renewed: {1}.":
    "O arquivo de estado {0} não pôde ser renovado: {>1}.",
  "Nothing is lost: the journal beside it has all of it.":
    "Nada se perdeu: o journal ao lado dele tem tudo.",
  "Its journal is gone as well: what was changed since is in memory alone.":
    "O journal dele também sumiu: o que mudou desde então está só em memória.",
  "Line {0} of {1} was not finished when the sandbox last ended: its {2} bytes were cut off and are kept in {3}.":
    "A linha {0} de {1} não estava terminada quando o sandbox terminou pela última vez: os {2} bytes dela foram cortados e estão guardados em {3}.",
  "the system clock is {0} s behind the newest record of the state file; sandbox time goes on from {1}.":
    "o relógio do sistema está {0} s atrás do registro mais novo do arquivo de estado; o tempo do sandbox continua a partir de {1}.",
  "Correct the system clock, or set the time with --now.":
    "Acerte o relógio do sistema ou defina o horário com --now.",
  "it is no regular file": "não é um arquivo comum",
  "it is a snapshot of a state": "é um snapshot de um estado",
  "it is not laid out a record a line, and too large to be read whole":
    "não tem um registro por linha, e é grande demais para ser lido inteiro",
  "it has no lines, or one that is too long": "não tem linhas, ou tem uma longa demais",
  "it is empty": "está vazio",
  "it is no JSON": "não é JSON",
  "it is no object": "não é um objeto",
  "{0}: it is no list": "{0}: não é uma lista",
  "neither a record nor the beginning or end of a list is expected there":
    "ali não se espera um registro, nem o início ou o fim de uma lista",
  "the file ends there, too early": "o arquivo termina ali, cedo demais",
  "in {0}, {1}": "em {0}, {>1}",
  "it is not finished": "não está terminada",
  "its checksum does not fit": "a soma de verificação não confere",
  "it holds something unknown ({0})": "contém algo desconhecido ({0})",
  "it is commit {0} where {1} should be": "é o commit {0} onde deveria estar o {1}",

  // sandbox.ts, core/assumptions.ts, http/fixtures.ts, http/routes/deliveries.ts
  "credentials=listed is assumed, and no credentials are listed.":
    "credentials=listed é a premissa, e nenhuma credencial está listada.",
  "pix-sandbox: unexpected error, seed {0}: {1}": "pix-sandbox: erro inesperado, seed {0}: {1}",
  'There is no assumption {0}; "pix-sandbox assumptions" lists them.':
    'Não existe a premissa {0}; "pix-sandbox assumptions" lista as que há.',
  "{0} takes {1}.": "{0} aceita {>1}.",
  "a positive integer": "um inteiro positivo",
  "0, a positive integer": "0, um inteiro positivo",
  "The fixtures file {0}": "O arquivo de fixtures {0}",
  "No {0} of {1} was delivered within {2} ms.{3} There were no webhooks at all.":
    "Nenhum {0} de {1} foi entregue em {2} ms.{>3} Não houve nenhum webhook.",
  "No {0} of {1} was delivered within {2} ms.{3} Seen instead: {4}.":
    "Nenhum {0} de {1} foi entregue em {2} ms.{>3} Em vez disso: {4}.",
  "No {0} with the id {1} was delivered within {2} ms.{3} There were no webhooks at all.":
    "Nenhum {0} com o id {1} foi entregue em {2} ms.{>3} Não houve nenhum webhook.",
  "No {0} with the id {1} was delivered within {2} ms.{3} Seen instead: {4}.":
    "Nenhum {0} com o id {1} foi entregue em {2} ms.{>3} Em vez disso: {4}.",
  "No {0} was delivered within {1} ms.{2} There were no webhooks at all.":
    "Nenhum {0} foi entregue em {1} ms.{>2} Não houve nenhum webhook.",
  "No {0} was delivered within {1} ms.{2} Seen instead: {3}.":
    "Nenhum {0} foi entregue em {1} ms.{>2} Em vez disso: {3}.",
  " There is no such type: {0}.": " Não há esse tipo: {0}.",

  // core/br-code.ts
  "A BR code has up to {0} characters, but this has {1}.":
    "Um BR Code tem até {0} caracteres, mas este tem {1}.",
  "The {0} of a BR code must be {1}, all ASCII, but is {2}.":
    "O campo {>0} de um BR Code deve ser {>1}, tudo em ASCII, mas é {>2}.",
  'Field {0} (CRC) must end the code as "6304" and 4 digits, not {1}.':
    'O campo {0} (CRC) deve terminar o código com "6304" e 4 dígitos, não {>1}.',
  'Field {0} (CRC) must be "{1}", but is {2}.': 'O campo {0} (CRC) deve ser "{1}", mas é {>2}.',
  "Field {0} (CRC) must come last, but {1} does.":
    "O campo {0} (CRC) deve vir por último, mas quem vem é {1}.",
  "Field {0} must be followed by the id and length of a field, not {1}.":
    "O campo {0} deve ser seguido do id e do tamanho de um campo, não de {>1}.",
  "Field {0} must begin with the id and length of a field, not {1}.":
    "O campo {0} deve começar com o id e o tamanho de um campo, não com {>1}.",
  "Field {0} must come first, but {1} does.": "O campo {0} deve vir primeiro, mas quem vem é {1}.",
  "Field {0} must be there once, but is there twice.":
    "O campo {0} deve aparecer uma vez, mas aparece duas.",
  "Field {0} announces {1} characters, but {2} ends after {3} of them.":
    "O campo {0} anuncia {1} caracteres, mas {>2} termina depois de {3} deles.",
  "field {0} (99 at most)": "o campo {0} (99 no máximo)",
  "the code": "o código",
  "Field {0} ({1}) must be {2}, but is missing.": "O campo {0} ({>1}) deve ser {>2}, mas falta.",
  "Field {0} ({1}) must be {2}, but is {3}.": "O campo {0} ({>1}) deve ser {>2}, mas é {>3}.",
  "Field {0} must be {1}, here or in a template up to 51.":
    "O campo {0} deve ser {1}, aqui ou em um template até 51.",
  "Field {0} (location) must be absent beside {1}, a PIX key.":
    "O campo {0} (location) não pode estar ao lado de {1}, uma chave PIX.",
  "Field {0} must have a PIX key (01) or a location (25), but has neither.":
    "O campo {0} deve ter uma chave PIX (01) ou uma location (25), mas não tem nenhuma.",
  "{0} ({1} characters)": "{0} ({1} caracteres)",
  "payload format": "formato do payload",
  "point of initiation": "ponto de iniciação",
  "merchant category": "categoria do lojista",
  "merchant name": "nome do lojista",
  "merchant city": "cidade do lojista",
  currency: "moeda",
  country: "país",
  amount: "valor",
  description: "descrição",
  "PIX key": "chave PIX",
  "11 or 12": "11 ou 12",
  "four digits": "quatro dígitos",
  "986, the real": "986, o real",
  "in reais, such as 10.50": "em reais, como 10.50",
  "1 to 15 characters": "1 a 15 caracteres",
  "1 to 25 characters": "1 a 25 caracteres",
  "1 to 72 characters": "1 a 72 caracteres",
  "1 to 77 characters": "1 a 77 caracteres",
  "*** or 1 to 25 letters and digits": "*** ou 1 a 25 letras e dígitos",
  "host/path, no https://, up to 77 characters": "host/caminho, sem https://, até 77 caracteres",

  // delivery/send.ts, as attempts have kept it
  "no answer within {0} s": "sem resposta em {0} s",
  "no connection within {0} s": "sem conexão em {0} s",
  "it was given up": "foi abandonada",
  "the answer {0} changes the protocol": "a resposta {0} muda o protocolo",
  "{0}: the receiver closed the kept connection just as it was used again":
    "{0}: o receptor fechou a conexão mantida aberta no momento em que ela era reutilizada",
  "{0} is not this machine, and --webhook-allow loopback lets webhooks go nowhere else":
    "{0} não é esta máquina, e --webhook-allow loopback não deixa webhooks irem a outro lugar",
  "{0} is a link-local or metadata address, where no webhook may go":
    "{0} é um endereço link-local ou de metadados, aonde nenhum webhook pode ir",
  "port 0 cannot be called; use the receiver's port":
    "a porta 0 não pode ser chamada; use a porta do receptor",

  // delivery/verify.ts
  "{0} is missing.": "Falta {>0}.",
  "{0} are missing.": "Faltam {>0}.",
  "It seems that {0}.": "Parece que {>0}.",
  "{0} came as {1}": "{0} veio como {1}",
  "{0} and webhook-{1}": "{>0} e webhook-{>1}",
  "{0}, webhook-{1}": "{>0}, webhook-{>1}",
  "webhook-timestamp is {0}, and no whole number of seconds.":
    "webhook-timestamp é {0}, e não um número inteiro de segundos.",
  "webhook-timestamp is {0}: milliseconds or less, where seconds belong.":
    "webhook-timestamp é {0}: milissegundos ou menos, onde cabem segundos.",
  "webhook-timestamp is {0}, which stricter verifiers refuse.":
    "webhook-timestamp é {0}, o que verificadores mais rígidos recusam.",
  "webhook-signature {0}.": "webhook-signature {>0}.",
  "is an asymmetric one (v1a), which no whsec_ secret verifies":
    "é assimétrica (v1a), que nenhum segredo whsec_ verifica",
  "is hexadecimal, where v1, and base64 belong": "está em hexadecimal, onde cabem v1, e base64",
  "is {0} and lacks the v1, before its base64": "é {0} e não tem o v1, antes do base64",
  "is {0}, and not v1, and the base64 of 32 bytes": "é {0}, e não v1, e o base64 de 32 bytes",
  "The signature holds, but it was made {0} ago, and {1}.":
    "A assinatura confere, mas foi feita há {>0}, e {>1}.",
  "The signature holds, but its time lies {0} ahead, and {1}.":
    "A assinatura confere, mas o instante dela está {>0} à frente, e {>1}.",
  "a verifier that allows {0} refuses it": "um verificador que permite {>0} a recusa",
  "{0} days": "{0} dias",
  "The secret lacks its whsec_, which some verifiers ask for.":
    "O segredo está sem o whsec_, que alguns verificadores pedem.",
  "The body is {0}, and something else was signed.": "O corpo é {0}, e outra coisa foi assinada.",
  "The body is empty, and something else was signed.":
    "O corpo está vazio, e outra coisa foi assinada.",
  "The signature was made with another secret, or id, timestamp or content of the body were changed since.":
    "A assinatura foi feita com outro segredo, ou id, timestamp ou conteúdo do corpo mudaram desde então.",
  "What was given as the secret is none: that is whsec_ and base64.":
    "O que foi passado como segredo não é um: seria whsec_ e base64.",
  "The body has {0} bytes of the {1} that content-length announces.":
    "O corpo tem {0} bytes dos {1} que content-length anuncia.",
  "The signature holds for the secret without the quotes or blanks around it.":
    "A assinatura confere para o segredo sem as aspas ou os espaços em volta.",
  "The signature was made with the secret's text as the key, not with what it decodes to.":
    "A assinatura foi feita com o texto do segredo como chave, não com o que ele decodifica.",
  "The signature was made over {0}, and not over id.timestamp.body.":
    "A assinatura foi feita sobre {>0}, e não sobre id.timestamp.body.",
  "the body alone": "o corpo sozinho",
  "timestamp and body without a dot": "timestamp e corpo sem ponto",
  "The signature holds for another writing of this body: {0}.":
    "A assinatura confere para outra escrita deste corpo: {>0}.",
  "only what it says was kept": "só o conteúdo foi guardado",
  "a line end was added": "foi acrescentada uma quebra de linha",
  "the line end behind it was cut off": "a quebra de linha no fim foi cortada",
  "a byte order mark was put before it": "um byte order mark foi posto antes dele",
  "its line ends became CRLF": "as quebras de linha viraram CRLF",
  "blanks or a byte order mark were added": "foram acrescentados espaços ou um byte order mark",
  "its UTF-8 was read as Latin-1": "o UTF-8 dele foi lido como Latin-1",
  "it was written as a string inside JSON": "foi escrito como uma string dentro de JSON",
  "it was parsed and written anew, with other blanks, escapes or numbers":
    "foi interpretado e escrito de novo, com outros espaços, escapes ou números",
  "it was parsed and written anew without blanks, as JSON.stringify does":
    "foi interpretado e escrito de novo sem espaços, como faz JSON.stringify",
  "it was parsed and written anew with blanks, as Python's json.dumps does":
    "foi interpretado e escrito de novo com espaços, como faz json.dumps do Python",
  "it was parsed and written anew with blanks, as json.dumps with ensure_ascii=False does":
    "foi interpretado e escrito de novo com espaços, como faz json.dumps com ensure_ascii=False",
  "it was parsed and written anew with escaped slashes, as PHP's json_encode does":
    "foi interpretado e escrito de novo com barras escapadas, como faz json_encode do PHP",
  "it was parsed and written anew with an indent of 2, as jq does":
    "foi interpretado e escrito de novo com recuo de 2, como faz jq",
  "it was parsed and written anew, its members in another order":
    "foi interpretado e escrito de novo, com os campos em outra ordem",

  // cli/scenario/play.ts, whose report says it in English as JSON
  "It was answered: {0}": "A resposta foi: {0}",
  "There are no webhooks at all.": "Não há nenhum webhook.",
  "There is {0} of {1}: {2}.": "Há {0} de {1}: {2}.",
  "{0} has no members.": "{0} não tem campos.",
  "{0} has the members {1}.": "{0} tem os campos {1}.",
};
