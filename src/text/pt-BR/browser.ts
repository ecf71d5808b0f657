export default {
  "Pictures cannot be read here. Paste the code of the picture.":
    "Imagens não podem ser lidas aqui. Cole o código da imagem.",
};
