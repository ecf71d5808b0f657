export default {
  "a line break was added at its end": "uma quebra de linha foi acrescentada no fim",
  "the line break at its end was removed": "a quebra de linha no fim foi removida",
  "a byte order mark was added": "um byte order mark foi acrescentado",
  "its line breaks were changed to CRLF": "as quebras de linha viraram CRLF",
  "spaces or a byte order mark were added": "espaços ou um byte order mark foram acrescentados",
  "its UTF-8 was read as Latin-1": "o UTF-8 dele foi lido como Latin-1",
  "it was serialized again, as a JSON string": "ele foi serializado de novo, como uma string JSON",
  "it was parsed and serialized again with different spaces, escapes or numbers":
    "o JSON foi lido e serializado de novo com outros espaços, escapes ou números",
  "it was parsed and serialized again with its members in another order":
    "o JSON foi lido e serializado de novo com os campos em outra ordem",
  "it was parsed and serialized again without spaces, as JSON.stringify does":
    "o JSON foi lido e serializado de novo sem espaços, como faz JSON.stringify",
  "it was parsed and serialized again with spaces, as Python's json.dumps does":
    "o JSON foi lido e serializado de novo com espaços, como faz json.dumps do Python",
  "it was parsed and serialized again with spaces, as json.dumps with ensure_ascii=False does":
    "o JSON foi lido e serializado de novo com espaços, como faz json.dumps com ensure_ascii=False",
  "it was parsed and serialized again with escaped slashes, as PHP's json_encode does":
    "o JSON foi lido e serializado de novo com barras escapadas, como faz json_encode do PHP",
  "it was parsed and serialized again with an indent of 2, as jq does":
    "o JSON foi lido e serializado de novo com recuo de 2, como faz jq",
  "The body is empty, but the signature is of another body.":
    "O corpo está vazio, mas a assinatura é de outro corpo.",
  "The body is {0}, but the signature is of another body.":
    "O corpo é {0}, mas a assinatura é de outro corpo.",
  "The body has {0} bytes, but content-length is {1}.":
    "O corpo tem {0} bytes, mas content-length é {1}.",
  "The signature was made with another secret, or the id, timestamp or body was changed afterwards.":
    "A assinatura foi feita com outro segredo, ou o id, o timestamp ou o corpo mudou depois.",
  "The given secret is not valid: a secret is whsec_ followed by base64.":
    "O segredo informado não é válido: um segredo é whsec_ seguido de base64.",
  "The signature is correct for the secret without the quotes or spaces around it.":
    "A assinatura confere para o segredo sem as aspas ou os espaços em volta.",
  "The signature was made with the text of the secret as the key, not with the decoded base64.":
    "A assinatura foi feita com o texto do segredo como chave, não com o base64 decodificado.",
  "the capture holds only the parsed body": "a captura tem só o corpo depois do parse",
  "the body alone": "o corpo sozinho",
  "timestamp and body without a dot": "timestamp e corpo sem ponto",
  "The signature is correct for other bytes of this body: {0}.":
    "A assinatura confere para outros bytes deste corpo: {0}.",
  "The signature was made over {0}, not over id.timestamp.body.":
    "A assinatura foi feita sobre {0}, não sobre id.timestamp.body.",
  "{0} days": "{0} dias",
  "{0} is missing.": "Falta {0}.",
  "{0} are missing.": "Faltam {0}.",
  "Found {0} instead.": "No lugar veio: {0}.",
  "webhook-timestamp is {0}, not a whole number of seconds.":
    "webhook-timestamp é {0}, não um número inteiro de segundos.",
  "webhook-timestamp is {0}, which looks like milliseconds. It must be in seconds.":
    "webhook-timestamp é {0}, que parece estar em milissegundos. Deve estar em segundos.",
  "webhook-signature is asymmetric (v1a). A whsec_ secret cannot verify it.":
    "webhook-signature é assimétrica (v1a). Um segredo whsec_ não consegue verificá-la.",
  'webhook-signature is hexadecimal. It must be "v1," followed by base64.':
    'webhook-signature está em hexadecimal. Deve ser "v1," seguido de base64.',
  'webhook-signature is {0}, without the "v1," before its base64.':
    'webhook-signature é {0}, sem o "v1," antes do base64.',
  'webhook-signature is {0}, not "v1," followed by the base64 of 32 bytes.':
    'webhook-signature é {0}, não "v1," seguido do base64 de 32 bytes.',
  "a verifier with a tolerance of {0} rejects it": "um verificador com tolerância de {0} a rejeita",
  "The signature is correct, but it was made {0} ago, and {1}.":
    "A assinatura confere, mas foi feita há {0}, e {1}.",
  "The signature is correct, but its timestamp is {0} ahead, and {1}.":
    "A assinatura confere, mas o timestamp dela está {0} adiantado, e {1}.",
  "The secret does not start with whsec_, which some verifiers require.":
    "O segredo não começa com whsec_, que alguns verificadores exigem.",
  "webhook-timestamp is {0}, which stricter verifiers reject.":
    "webhook-timestamp é {0}, que verificadores mais rígidos rejeitam.",
};
