import { types } from "node:util";
import { type AssumptionChanges, readChoice } from "../../core/assumptions/table.ts";
import type { LocalizedText } from "../../text/localized-text.ts";
import { isControlToken } from "../../wire/control-token.ts";
import type { Credential } from "../../core/records/credentials.ts";
import { isSigningSecret } from "../../wire/signing-secret.ts";
import { isCity } from "../../core/records/br-code.ts";
import { toOrigin } from "../../wire/web-origin.ts";
import { OptionError, UnusableOptionError } from "./errors.ts";
import { isHttpOrigin, isPublicUrl, isStartTime, loneCertificateFile } from "./option-checks.ts";
import type { SandboxOptions } from "./options.ts";
import { wrongAddress } from "./state-kinds.ts";

// Not with a schema: loading zod would delay the start.

/**
 * Validates the options of a start, which may come from untyped JavaScript.
 * @returns the options with assumptions and origins in their canonical form.
 * @throws OptionError for an unknown option or an invalid value.
 */
export function validateOptions(options: SandboxOptions): SandboxOptions {
  if (!isObject(options)) {
    const given = describe(options);
    throw new OptionError({
      en: `The options must be an object, not ${given.en}. Omit them to use the defaults.`,
      pt: `As opções devem ser um objeto, não ${given.pt}. Omita-as para usar os valores padrão.`,
    });
  }
  for (const [name, value] of Object.entries(options)) validate(name, value);
  const { assumptions, corsOrigins, advertise } = options;
  refuseWrongState(options);
  refuseHalfCertificate(options);
  return {
    ...options,
    ...(advertise && { advertise: toOrigin(advertise) ?? advertise }),
    ...(assumptions && { assumptions: readAssumptions(assumptions) }),
    ...(corsOrigins && { corsOrigins: corsOrigins.map((origin) => toOrigin(origin) ?? origin) }),
  };
}

function refuseWrongState({ stateFile }: SandboxOptions): void {
  const wrong = stateFile === undefined ? undefined : wrongAddress(stateFile);
  if (wrong) throw new UnusableOptionError("stateFile", wrong);
}

function refuseHalfCertificate(options: SandboxOptions): void {
  const given = loneCertificateFile(options);
  if (given === undefined) return;
  const missing = given === "tlsCert" ? "tlsKey" : "tlsCert";
  throw new UnusableOptionError(given, {
    en: `It needs the option ${missing} too.`,
    pt: `Ela precisa também da opção ${missing}.`,
  });
}

function validate(name: string, value: unknown): void {
  if (!Object.hasOwn(KINDS, name)) {
    const names = Object.keys(KINDS).join(", ");
    throw new OptionError({
      en: `Unknown option ${JSON.stringify(name)}. The options are ${names}.`,
      pt: `Opção desconhecida: ${JSON.stringify(name)}. As opções são ${names}.`,
    });
  }
  const { expected, isValid, isSecret = false } = KINDS[name as keyof SandboxOptions];
  if (value === undefined || isValid(value)) return;
  const given = isSecret ? ANOTHER_VALUE : describe(value);
  throw new OptionError({
    en: `The option ${name} must be ${expected.en}, not ${given.en}.`,
    pt: `A opção ${name} deve ser ${expected.pt}, não ${given.pt}.`,
  });
}

/** The values that an option accepts. */
interface Kind {
  /** Completes "must be …". */
  readonly expected: LocalizedText;
  readonly isValid: (value: unknown) => boolean;
  /** Whether errors do not show the value. */
  readonly isSecret?: boolean;
}

const ANOTHER_VALUE = { en: "another value", pt: "outro valor" };

// An empty host would mean all interfaces, an empty file name the folder.
const TEXT: Kind = {
  expected: { en: "a non-empty string", pt: "um texto não vazio" },
  isValid: isFilled,
};
const SWITCH: Kind = {
  expected: { en: "true or false", pt: "true ou false" },
  isValid: (value) => typeof value === "boolean",
};
const AMOUNT = wholeNumber(Number.MAX_SAFE_INTEGER, {
  en: "a whole number, 0 or more",
  pt: "um número inteiro, 0 ou mais",
});
const TEXTS: Kind = {
  expected: { en: "a list of non-empty strings", pt: "uma lista de textos não vazios" },
  isValid: listOf(isFilled),
};

const KINDS: Readonly<Record<keyof SandboxOptions, Kind>> = {
  host: TEXT,
  port: wholeNumber(65_535, {
    en: "a whole number from 0 to 65535",
    pt: "um número inteiro de 0 a 65535",
  }),
  stateFile: TEXT,
  durability: oneOf("always", "none"),
  strictState: SWITCH,
  keepDeliveries: AMOUNT,
  keepRequests: AMOUNT,
  fixtures: {
    expected: {
      en: "a list of file names and fixtures objects",
      pt: "uma lista de nomes de arquivo e objetos de fixtures",
    },
    isValid: listOf((one) => isFilled(one) || isObject(one)),
  },
  seed: TEXT,
  clock: oneOf("real", "frozen"),
  now: {
    expected: {
      en: "a time before the year 9000, as a Date or a string such as 2026-11-21T12:00:00Z",
      pt: "um horário antes do ano 9000, como Date ou texto, por exemplo 2026-11-21T12:00:00Z",
    },
    isValid: isStartTime,
  },
  assumptions: {
    expected: {
      en: "an object with choices by assumption name",
      pt: "um objeto com escolhas por nome de premissa",
    },
    isValid: isObject,
  },
  explain: SWITCH,
  magic: SWITCH,
  credentials: {
    expected: {
      en: "a list of objects with apiKey, apiSecret and merchantId, each a non-empty string (an apiSecret that starts with whsec_ continues with base64)",
      pt: "uma lista de objetos com apiKey, apiSecret e merchantId, cada um um texto não vazio (um apiSecret que começa com whsec_ continua com base64)",
    },
    isValid: listOf((one) => {
      if (!isObject(one)) return false;
      const { apiKey, apiSecret, merchantId } = one as Partial<Credential>;
      return [apiKey, apiSecret, merchantId].every(isFilled) && isSigningSecret(apiSecret ?? "");
    }),
  },
  https: SWITCH,
  tlsCert: TEXT,
  tlsKey: TEXT,
  publicUrl: {
    expected: {
      en: "a URL without a query, such as https://pix.example",
      pt: "uma URL sem parâmetros de consulta, por exemplo https://pix.example",
    },
    isValid: (value) => typeof value === "string" && isPublicUrl(value),
  },
  city: {
    expected: {
      en: "the name of a city in Latin letters, such as Recife",
      pt: "o nome de uma cidade em letras latinas, por exemplo Recife",
    },
    isValid: (value) => typeof value === "string" && isCity(value),
  },
  allowHosts: TEXTS,
  corsOrigins: {
    expected: {
      en: "a list of origins without a path, such as http://localhost:5173",
      pt: "uma lista de origens sem caminho, por exemplo http://localhost:5173",
    },
    isValid: listOf((one) => typeof one === "string" && toOrigin(one) !== undefined),
  },
  controlToken: {
    expected: {
      en: "a non-empty string of ASCII letters, digits and punctuation, without spaces",
      pt: "um texto não vazio de letras, dígitos e pontuação ASCII, sem espaços",
    },
    isValid: (value) => typeof value === "string" && isControlToken(value),
    isSecret: true,
  },
  openControl: SWITCH,
  standbyForward: SWITCH,
  advertise: {
    expected: {
      en: "a URL without a path, such as http://10.0.0.5:7490",
      pt: "uma URL sem caminho, por exemplo http://10.0.0.5:7490",
    },
    isValid: (value) => typeof value === "string" && isHttpOrigin(value),
  },
  webhookAllow: oneOf("all", "loopback"),
  report: {
    expected: { en: "a function", pt: "uma função" },
    isValid: (value) => typeof value === "function",
  },
};

/** @throws OptionError for an unknown assumption or choice. */
function readAssumptions(given: AssumptionChanges): AssumptionChanges {
  const read = Object.entries(given)
    .filter(([, choice]) => choice !== undefined)
    .map(([name, choice]) => [name, readAssumption(name, choice)] as const);
  return Object.fromEntries(read);
}

function readAssumption(name: string, given: unknown): string | number {
  const read = readChoice(name, given);
  if ("choice" in read) return read.choice;
  throw new OptionError({
    en: `The option assumptions: ${read.refusal.en}`,
    pt: `A opção assumptions: ${read.refusal.pt}`,
  });
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(isValid: (one: unknown) => boolean): Kind["isValid"] {
  return (value) => Array.isArray(value) && value.every((one) => isValid(one));
}

function oneOf(one: string, other: string): Kind {
  return {
    expected: { en: `"${one}" or "${other}"`, pt: `"${one}" ou "${other}"` },
    isValid: (value) => value === one || value === other,
  };
}

function wholeNumber(max: number, expected: LocalizedText): Kind {
  return {
    expected,
    isValid: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max,
  };
}

function describe(value: unknown): LocalizedText {
  if (Array.isArray(value)) return { en: "a list", pt: "uma lista" };
  if (typeof value === "function") return { en: "a function", pt: "uma função" };
  if (typeof value === "object" && value !== null && !types.isDate(value))
    return { en: "an object", pt: "um objeto" };
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return { en: text, pt: text };
}
