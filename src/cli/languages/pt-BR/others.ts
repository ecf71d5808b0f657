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

  // sandbox.ts, core/assumptions.ts, http/fixtures.ts, http/routes/deliveries.ts
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

  // cli/scenario/play.ts, whose report says it in English as JSON
  "It was answered: {0}": "A resposta foi: {0}",
  "There are no webhooks at all.": "Não há nenhum webhook.",
  "There is {0} of {1}: {2}.": "Há {0} de {1}: {2}.",
  "{0} has no members.": "{0} não tem campos.",
  "{0} has the members {1}.": "{0} tem os campos {1}.",
};
