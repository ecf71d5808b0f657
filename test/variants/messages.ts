export type Language = "en" | "pt";

/** The summary of a refusal, or the message of an entry, by its code. */
export const MESSAGES: Record<Language, Readonly<Record<string, string>>> = {
  en: {
    VALIDATION_ERROR: "There are errors in the request.",
    NOT_PROCESSABLE: "The request cannot be processed.",
    NO_ACTIVE_CREDENTIAL: "No active credential is configured.",
    DUPLICATED_VALUE: "This value has already been used.",
    REQUIRED_VALUE: "The field is required.",
    EMPTY_VALUE: "The field must not be empty.",
    INVALID_VALUE: "The value of the field is invalid.",
  },
  pt: {
    VALIDATION_ERROR: "Existem erros na requisição.",
    NOT_PROCESSABLE: "Não foi possível processar a requisição.",
    NO_ACTIVE_CREDENTIAL: "Nenhuma credencial ativa configurada.",
    DUPLICATED_VALUE: "Este valor já foi utilizado.",
    REQUIRED_VALUE: "O campo é obrigatório.",
    EMPTY_VALUE: "O campo não pode ser vazio.",
    INVALID_VALUE: "O valor do campo é inválido.",
  },
};

/** The confirmation of a simulation, as the specification words it: of a charge, for payouts too. */
export const CONFIRMATIONS: Record<Language, Record<"completed" | "canceled", string>> = {
  en: {
    completed: "The charge was marked as completed in staging.",
    canceled: "The charge was marked as canceled in staging.",
  },
  pt: {
    completed: "A cobrança foi marcada como concluída em staging.",
    canceled: "A cobrança foi marcada como cancelada em staging.",
  },
};
