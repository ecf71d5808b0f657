import { LocalizedError } from "./errors.ts";
import type { LocalizedText } from "../../text/localized-text.ts";

/** A text that is not a BR Code; `field` is the invalid one, such as "63" or "26-25", or "code" for the whole. */
export class BrCodeError extends LocalizedError {
  override readonly name: string = "BrCodeError";
  readonly field: string;

  constructor(field: string, text: LocalizedText) {
    super(text);
    this.field = field;
  }
}

/** The values of fields by their ids; a field inside a template as "26-25". */
export type Fields = Map<string, string>;

/** The name of the arrangement in a template's field 00. */
export const PIX = "br.gov.bcb.pix";

/**
 * Reads every field of a text.
 * @param fields receives them, up to the first that is wrong
 * @throws BrCodeError
 */
export function readFields(text: string, parent = "", fields: Fields = new Map()): Fields {
  const characters = Array.from(text); // lengths count characters, which can be two code units
  let id = parent;
  for (let index = 0; index < characters.length;) {
    const head = characters.slice(index, index + 4).join("");
    if (!/^\d{4}$/.test(head)) {
      refuse(id || "00", {
        en: `must ${index ? "be followed by" : "begin with"} the id and length of a field, not ${quote(head).en}`,
        pt: `deve ${index ? "ser seguido do" : "começar com o"} id e tamanho de um campo, não de ${quote(head).pt}`,
      });
    }
    const length = Number(head.slice(2));
    const value = characters.slice(index + 4, index + 4 + length);
    id = (parent && `${parent}-`) + head.slice(0, 2);
    if (index === 0 && !parent && id !== "00") {
      const pt = `deve vir primeiro, mas quem vem é ${id}`;
      refuse("00", { en: `must come first, but ${id} does`, pt });
    }
    if (fields.has(id)) refuse(id, { en: "appears twice", pt: "aparece duas vezes" });
    if (value.length < length) {
      const whole = parent
        ? { en: `field ${parent} (99 at most)`, pt: `o campo ${parent} (99 no máximo)` }
        : { en: "the code", pt: "o código" };
      const announced = countOfCharacters(length);
      refuse(id, {
        en: `announces ${announced.en}, but ${whole.en} ends after ${value.length} of them`,
        pt: `anuncia ${announced.pt}, mas ${whole.pt} termina depois de ${value.length} deles`,
      });
    }
    fields.set(id, value.join(""));
    if (/^(?:2[6-9]|[34]\d|5[01]|62|[89]\d)$/.test(id)) readFields(value.join(""), id, fields);
    index += 4 + length;
  }
  if (!parent && id !== "63") {
    const pt = `(CRC) deve vir por último, mas quem vem é ${id}`;
    refuse("63", { en: `(CRC) must come last, but ${id} does`, pt });
  }
  return fields;
}

/** The first template in a range that belongs to PIX. */
export function findPixTemplate(fields: Fields, first: string, last: string): string | undefined {
  const templates = Array.from(fields.keys(), (id) => id.slice(0, 2));
  return templates.find(
    (id) => id >= first && id <= last && fields.get(`${id}-00`)?.toLowerCase() === PIX,
  );
}

const NAMES: Readonly<Record<string, LocalizedText>> = {
  "00": { en: "payload format", pt: "formato do payload" },
  "01": { en: "point of initiation", pt: "ponto de iniciação" },
  "26": { en: "merchant account", pt: "conta do lojista" },
  "26-00": { en: "arrangement", pt: "arranjo" },
  "26-01": { en: "PIX key", pt: "chave PIX" },
  "26-02": { en: "description", pt: "descrição" },
  "26-03": { en: "withdrawal provider", pt: "facilitador de saque" },
  "26-25": same("location"),
  "52": { en: "merchant category", pt: "categoria do lojista" },
  "53": { en: "currency", pt: "moeda" },
  "54": { en: "amount", pt: "valor" },
  "58": { en: "country", pt: "país" },
  "59": { en: "merchant name", pt: "nome do lojista" },
  "60": { en: "merchant city", pt: "cidade do lojista" },
  "61": { en: "postal code", pt: "CEP" },
  "62": { en: "additional data", pt: "dados adicionais" },
  "62-05": same("txid"),
  "63": same("CRC"),
  "80": { en: "further template", pt: "outro template" },
  "80-00": { en: "arrangement", pt: "arranjo" },
  "80-25": { en: "recurrence location", pt: "location da recorrência" },
};

/** The name of a field, such as "59" or "26-25"; templates 26 to 51 and 80 to 99 have the same fields each. */
export function nameOf(id: string): LocalizedText {
  const [template = "", field] = id.split("-");
  const first = template >= "80" ? "80" : template >= "26" && template <= "51" ? "26" : template;
  const name = NAMES[field === undefined ? first : `${first}-${field}`];
  return name ?? { en: "not defined by PIX", pt: "não definido pelo PIX" };
}

/** A term that is the same in each language. */
export function same(text: string): LocalizedText {
  return { en: text, pt: text };
}

/** @throws BrCodeError */
export function refuse(field: string, reason: LocalizedText): never {
  throw new BrCodeError(field, {
    en: `Field ${field} ${reason.en}.`,
    pt: `O campo ${field} ${reason.pt}.`,
  });
}

function countOfCharacters(count: number): LocalizedText {
  return count === 1
    ? { en: "1 character", pt: "1 caractere" }
    : { en: `${count} characters`, pt: `${count} caracteres` };
}

/** A value with its length, for a message. */
export function quote(value: string): LocalizedText {
  const [text, size] = [JSON.stringify(value), Array.from(value).length];
  const { en, pt } = countOfCharacters(size);
  return { en: `${text} (${en})`, pt: `${text} (${pt})` };
}
