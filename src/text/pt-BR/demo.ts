/** Texts of src/demo in Portuguese. */
export default {
  "A demo of pix-sandbox: no money moves.":
    "Demonstração do pix-sandbox: nenhum dinheiro é movimentado.",
  "A small shop": "Uma pequena loja",
  "Webhook with an invalid signature: responds 401.":
    "Webhook com assinatura inválida: a loja responde 401.",
  "Back to the shop": "Voltar à loja",
  "Breakfast basket": "Cesta de café da manhã",
  "Buy with Pix": "Comprar com Pix",
  "Chocolate, 80 g": "Chocolate, 80 g",
  "Coffee, 250 g": "Café, 250 g",
  "Open the payer's page": "Abrir a página do pagador",
  "Pix copy and paste": "Pix Copia e Cola",
  "QR code of the payer's page": "QR Code da página do pagador",
  "Scan the code with the camera of a phone in the same network, or pay here.":
    "Leia o código com a câmera de um celular na mesma rede ou pague por aqui.",
  "See the calls and the webhook in the inspector": "Ver as chamadas e o webhook no inspetor",
  "No charge was created: POST /v1/payins, {0}.":
    "A cobrança não foi criada: POST /v1/payins, {0}.",
  "The charge has expired. The order is closed.": "A cobrança expirou. O pedido foi encerrado.",
  "The order is paid.": "O pedido está pago.",
  "The order is placed.": "Pedido feito.",
  "The shop has created a charge: POST /v1/payins, 200.":
    "A loja criou uma cobrança: POST /v1/payins, 200.",
  "The shop has no such page.": "A loja não tem essa página.",
  "Webhook {0} again: known, the shop responds 200.": "Webhook {0} repetido: a loja responde 200.",
  "Webhook {0}: valid signature, the shop responds 200.":
    "Webhook {0}: assinatura válida, a loja responde 200.",
  "What happened": "O que aconteceu",
  "order|expired": "expirado",
  "order|no charge": "sem cobrança",
  "order|paid": "pago",
  "order|waiting for the payment": "aguardando pagamento",
  "Back to the order": "Voltar ao pedido",
};
