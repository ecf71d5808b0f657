export default {
  "error in line {0}, column {1}": "erro na linha {0}, coluna {1}",
  "A secret is whsec_ and base64, or another text that is not empty.":
    "Um segredo é whsec_ e base64, ou outro texto que não seja vazio.",
  "name must be 1 to 64 lower-case letters, digits, dots, hyphens and underscores, and begin with a letter or digit.":
    "name deve ter de 1 a 64 letras minúsculas, dígitos, pontos, hífens e sublinhados, começando com letra ou dígito.",
};
