import { generatePixPayload, getPixPayloadInfo } from "@brazilian-utils/brazilian-utils";
import { hasError, isDynamicPix, parsePix } from "pix-utils";
import { describe, expect, it } from "vitest";
import {
  BrCodeError,
  readBrCode,
  toBrCodeText,
  writeBrCode,
} from "../../../src/core/records/br-code.ts";
import { crc16 } from "../../../src/core/records/crc16.ts";
import { accountWith, codeWith, toField, withCrc } from "../../support/br-codes.ts";
import { wordsOf } from "../../support/words.ts";

const KEY = "123e4567-e12b-12d1-a456-426655440000";
const MANUAL = { merchantName: "Fulano de Tal", merchantCity: "BRASILIA" };
const MANUAL_DRAFT = { ...MANUAL, location: "pix.example.com/8b3da2f39a4140d1a91abd93113bd441" };

const STATIC_TEXT =
  "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";
const DYNAMIC_TEXT =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";

/** Codes of the central bank's manuals and API, and of a provider, with what they say. */
const GOLDENS = [
  {
    title: "a static code",
    text: STATIC_TEXT,
    says: { ...MANUAL, kind: "static", pixKey: KEY },
  },
  {
    title: "a dynamic code",
    text: DYNAMIC_TEXT,
    says: { ...MANUAL_DRAFT, kind: "dynamic" },
  },
  {
    title: "a dynamic code with a recurrence",
    text: "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741",
    says: {
      ...MANUAL,
      kind: "dynamic",
      location: "pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441",
      recurrenceLocation: "pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890",
    },
  },
  {
    title: "a code of a charge with a due date and a recurrence",
    text: "00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e75204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441",
    says: {
      ...MANUAL,
      kind: "dynamic",
      location: "pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7",
      recurrenceLocation: "pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d0",
    },
  },
  {
    title: "a code of a recurrence alone",
    text: "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9",
    says: {
      ...MANUAL,
      kind: "recurrence",
      recurrenceLocation: "pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002",
    },
  },
  {
    title: "the manual's dynamic code with a recurrence",
    text: "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304FB42",
    says: {
      ...MANUAL_DRAFT,
      kind: "dynamic",
      recurrenceLocation: "pix.example.com/rec/2353c790eefb11eaadc10242ac120002",
    },
  },
  {
    title: "a static code with an amount and a recurrence",
    text: "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406100.505802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac12000263042875",
    says: {
      ...MANUAL,
      kind: "static",
      pixKey: KEY,
      amount: "100.50",
      recurrenceLocation: "pix.example.com/rec/2353c790eefb11eaadc10242ac120002",
    },
  },
  {
    title: "a code of several arrangements",
    text: "00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38",
    says: {
      kind: "static",
      pixKey: KEY,
      amount: "123.45",
      merchantName: "NOME DO RECEBEDOR",
      merchantCity: "BRASILIA",
      txid: "RP12345678-2019",
    },
  },
  {
    title: "a provider's dynamic code with an amount and a txid",
    text: "00020101021226980014br.gov.bcb.pix2576api.woovi-sandbox.com/api/testaccount/qr/v1/d983a07836cf48ed9a65764d3c18427352040000530398654040.015802BR5921Lucas_Aprigio_Sandbox6009Sao_Paulo62290525d983a07836cf48ed9a65764d363046759",
    says: {
      kind: "dynamic",
      location: "api.woovi-sandbox.com/api/testaccount/qr/v1/d983a07836cf48ed9a65764d3c184273",
      amount: "0.01",
      merchantName: "Lucas_Aprigio_Sandbox",
      merchantCity: "Sao_Paulo",
      txid: "d983a07836cf48ed9a65764d3",
    },
  },
  {
    title: "a dynamic code with the arrangement in capitals",
    text: "00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB",
    says: {
      kind: "dynamic",
      location: "pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99",
      merchantName: "EMPRESA",
      merchantCity: "SAO PAULO",
    },
  },
];

describe("a CRC", () => {
  it("has the published check value", () => {
    expect(crc16("123456789")).toBe(0x29b1);
  });

  it("is taken over the UTF-8 bytes of a text that is not ASCII", () => {
    // With an accent inside a code whose CRC another library has computed.
    const text = withCrc(DYNAMIC_TEXT.slice(0, -8).replace("5913Fulano de Tal", "5908São João"));

    expect(getPixPayloadInfo(text)).toMatchObject({ merchantName: "São João" });
    expect(readBrCode(text)).toMatchObject({ merchantName: "São João" });
  });
});

describe("a written BR code", () => {
  it("is the central bank's own example, byte for byte", () => {
    expect(writeBrCode(MANUAL_DRAFT)).toBe(DYNAMIC_TEXT);
  });

  it("pads a short CRC with zeros", () => {
    const codes = seeded(7, 200, (random) => writeBrCode(anyDraft(random)));
    const padded = codes.filter((text) => text.at(-4) === "0");

    expect(padded).not.toEqual([]);
    for (const text of padded) expect(getPixPayloadInfo(text)).not.toBeNull();
  });

  it("is the one that another library writes", () => {
    for (const draft of seeded(11, 100, anyDraft)) {
      const { location: url, ...merchant } = draft;
      expect(writeBrCode(draft)).toBe(generatePixPayload({ url, ...merchant }));
    }
  });

  it("is accepted by two independent parsers and read back, whatever the names are", () => {
    for (const draft of seeded(1, 1000, anyDraft)) {
      const text = writeBrCode(draft);

      const { location: url, ...merchant } = draft;
      expect(getPixPayloadInfo(text)).toEqual({ ...merchant, url, pointOfInitiation: "dynamic" });
      const parsed = parsePix(text);
      if (hasError(parsed) || !isDynamicPix(parsed)) throw new Error(`pix-utils refuses ${text}`);
      expect(parsed).toMatchObject({ ...merchant, url });
      expect(readBrCode(text)).toEqual({ ...draft, kind: "dynamic" });
    }
  });

  it("takes a location of exactly 77 characters, on a host with a port too", () => {
    const location = `localhost:8080/${"a".repeat(62)}`;

    expect(readBrCode(writeBrCode({ ...MANUAL, location })).location).toBe(location);
  });

  it.each([
    [
      "a location of 78 characters",
      { location: `pix.example.com/${"a".repeat(62)}` },
      /location .*\(78 characters\)/,
    ],
    ["a location with a scheme", { location: "https://pix.example.com/1" }, /no https:\/\//],
    ["a location without a path", { location: "pix.example.com" }, /host\/path/],
    ["a location with a blank", { location: "pix.example.com/a b" }, /location/],
    [
      "a name of 26 characters",
      { merchantName: "a".repeat(26) },
      /merchant name .* 1 to 25 characters/,
    ],
    ["a name with an accent", { merchantName: "São João" }, /merchant name .* ASCII/],
    ["an empty name", { merchantName: "" }, /merchant name/],
    [
      "a city of 16 characters",
      { merchantCity: "a".repeat(16) },
      /merchant city .* 1 to 15 characters/,
    ],
  ])("refuses %s", (_fault, change, sentence) => {
    const write = (): string => writeBrCode({ ...MANUAL_DRAFT, ...change });

    expect(write).toThrow(RangeError);
    expect(write).toThrow(sentence);
  });
});

describe("a name folded for a BR code", () => {
  it.each([
    ["PIX SANDBOX", "PIX SANDBOX"],
    ["Padaria São João", "Padaria Sao Joao"],
    ["Silva & Filhos", "Silva Filhos"],
    ["Straße Ærø Œuvre Łódź Þór", "Strasse AEro OEuvre Lodz"],
    ["  loja\t\tdo\r\n Zé  ", "loja do Ze"],
    ["loja\u0000\u001b[31m", "loja 31m"],
    ["Loja 🛒 Feliz", "Loja Feliz"],
    ["acme_pay-2.0", "acme_pay-2.0"],
    ["D'Água/S.A. (Matriz)", "D Agua S.A. Matriz"],
    ["a".repeat(200), "a".repeat(25)],
    [`${"a".repeat(24)} b`, "a".repeat(24)],
    [`${"é".repeat(25)}!`, "e".repeat(25)],
    ["", "NOBODY"],
    ["   ", "NOBODY"],
    ["🛒🔥", "NOBODY"],
    ["متجر שלום", "NOBODY"],
    ["&&&", "NOBODY"],
  ])("turns %j into %j", (text, folded) => {
    expect(toBrCodeText(text, 25, "NOBODY")).toBe(folded);
  });

  it("is cut at the given length", () => {
    expect(toBrCodeText("São José do Rio Preto", 15, "SAO PAULO")).toBe("Sao Jose do Rio");
  });
});

describe("a read BR code", () => {
  it.each(GOLDENS.map(({ title, text, says }) => [title, text, says] as const))(
    "says what %s says",
    (_title, text, says) => {
      expect(readBrCode(text)).toEqual(says);
    },
  );

  it("is found in any of the templates 26 to 51", () => {
    expect(
      readBrCode(codeWith({ "26": undefined, "51": accountWith("25", MANUAL_DRAFT.location) })),
    ).toEqual({
      ...MANUAL_DRAFT,
      kind: "dynamic",
    });
  });

  it("has the description of a static code", () => {
    const account = accountWith("01", KEY) + toField("02", "Pedido 42");

    expect(readBrCode(codeWith({ "26": account }))).toMatchObject({
      kind: "static",
      description: "Pedido 42",
    });
  });

  it("counts the characters of a name, not their bytes or halves", () => {
    const text = withCrc(DYNAMIC_TEXT.slice(0, -8).replace("5913Fulano de Tal", "5906Loja 🛒"));

    expect(readBrCode(text).merchantName).toBe("Loja 🛒");
  });
});

const OVERLONG = `pix.example.com/${"a".repeat(62)}`;

describe("a faulty BR code", () => {
  it.each([
    ["a wrong CRC", "63", STATIC_TEXT.replace(/.$/, "E")],
    ["a CRC in small letters", "63", STATIC_TEXT.replace("1D3D", "1d3d")],
    ["no CRC", "63", STATIC_TEXT.slice(0, -8)],
    ["its end missing", "63", STATIC_TEXT.slice(0, -2)],
    ["a length that takes in the CRC", "62", codeWith({}, ["62070503***", "62150503***"])],
    ["a length that goes past its end", "60", codeWith({}, ["6008", "6099"])],
    ["another payload format", "00", codeWith({ "00": "02" })],
    ["no payload format", "00", codeWith({ "00": undefined })],
    ["the payload format second", "00", codeWith({}, ["000201010212", "010212000201"])],
    ["another point of initiation", "01", codeWith({ "01": "13" })],
    ["no Pix template", "26-00", codeWith({ "26": undefined })],
    ["another arrangement", "26-00", codeWith({ "26": toField("00", "br.com.outro") })],
    ["neither key nor location", "26", codeWith({ "26": toField("00", "br.gov.bcb.pix") })],
    [
      "a key beside a location",
      "26-25",
      codeWith({ "26": accountWith("01", "a@b.co") + toField("25", "a.example/1") }),
    ],
    ["an empty key", "26-01", codeWith({ "26": accountWith("01", "") })],
    ["an empty description", "26-02", codeWith({ "26": accountWith("01", KEY) + "0200" })],
    [
      "a location with https://",
      "26-25",
      codeWith({ "26": accountWith("25", "https://a.example/1") }),
    ],
    [
      "such a location in template 51",
      "51-25",
      codeWith({ "26": undefined, "51": accountWith("25", "https://a.example/1") }),
    ],
    // No template has room for 78 characters: it ends too soon, or its length has three digits.
    [
      "a location of 78 characters",
      "26-25",
      codeWith({ "26": accountWith("25", OVERLONG).slice(0, -1) }),
    ],
    ["a template of 100 characters", "26", codeWith({ "26": accountWith("25", OVERLONG) })],
    [
      "a key of 78 characters",
      "26-01",
      codeWith({ "26": accountWith("01", "a".repeat(78)).slice(0, -1) }),
    ],
    [
      "an ISPB of 3 digits",
      "26-03",
      codeWith({ "26": accountWith("01", KEY) + toField("03", "123") }),
    ],
    ["no merchant category", "52", codeWith({ "52": undefined })],
    ["another currency", "53", codeWith({ "53": "840" })],
    ["an amount with a comma", "54", codeWith({ "54": "10,50" })],
    ["an amount with three decimals", "54", codeWith({ "54": "10.505" })],
    ["an amount of 14 characters", "54", codeWith({ "54": "12345678901.00" })],
    ["another country", "58", codeWith({ "58": "US" })],
    ["no name", "59", codeWith({ "59": undefined })],
    ["a name of 26 characters", "59", codeWith({ "59": "a".repeat(26) })],
    ["a city of 16 characters", "60", codeWith({ "60": "a".repeat(16) })],
    ["no additional data", "62-05", codeWith({ "62": undefined })],
    ["additional data that is only a txid", "62", codeWith({ "62": "***" })],
    ["additional data without a txid", "62-05", codeWith({ "62": toField("01", "1") })],
    ["a txid of 26 characters", "62-05", codeWith({ "62": toField("05", "a".repeat(26)) })],
    ["a name said twice", "59", codeWith({}, ["6008", "5901a6008"])],
    ["a length that is too short", "59", codeWith({}, ["5913", "5912"])],
    ["a length that is no number", "58", codeWith({}, ["5913", "59l3"])],
    [
      "a recurrence without a location",
      "80-25",
      codeWith({ "80": toField("00", "br.gov.bcb.pix") }),
    ],
  ])("with %s is refused for field %s", (_fault, field, text) => {
    const refusal = refusalOf(text);

    expect(refusal.field).toBe(field);
    expect(refusal.message).toMatch(new RegExp(`^Field ${field} [^\\n]+[^.]\\.$`));
  });

  it.each(["", "abc", "6304", "https://pix.example.com"])(
    "is refused as a whole when it is another text: %j",
    (text) => {
      const { field, message } = refusalOf(text);
      expect(field).toBe("code");
      expect(message).toBe(
        'This is not a BR Code: a BR Code begins with "000201" and contains "br.gov.bcb.pix".',
      );
    },
  );

  it("is refused as a whole when it is longer than 512 characters", () => {
    const refusal = refusalOf(withCrc(DYNAMIC_TEXT.slice(0, -8) + toField("91", "").repeat(100)));

    expect(refusal.field).toBe("code");
    expect(refusal.message).toBe("A BR Code has up to 512 characters, but this has 555.");
  });

  it("names the expected and the actual CRC", () => {
    expect(refusalOf(STATIC_TEXT.replace(/.$/, "E")).message).toBe(
      'Field 63 (CRC) must be "1D3D", but is "1D3E" (4 characters).',
    );
  });

  it.each([
    ["43214833", undefined],
    [" 5571999990000", "+5571999990000"],
    ["5571999990000", "+5571999990000"],
    ["(71) 99999-0000", "+5571999990000"],
    ["123.456.789-09", "12345678909"],
    ["12.abc.345/01de-35", "12ABC34501DE35"],
    ["Fulano@Example.com", "fulano@example.com"],
    [KEY.toUpperCase(), KEY],
    [KEY.replaceAll("-", ""), KEY],
    ["minha chave", undefined],
    ["", undefined],
  ])("has a key of no form of the directory: %j", (key, meant) => {
    const { field, message } = refusalOf(codeWith({ "26": accountWith("01", key) }));
    expect(field).toBe("26-01");
    expect(/; "(.*)" is probably meant\.$/.exec(message)?.[1]).toBe(meant);
  });

  it.each([
    "12345678909",
    "12345678000195",
    "12ABC34501DE35",
    "pix@bcb.gov.br",
    "+5571999990000",
    KEY,
  ])("accepts a key of the directory: %j", (key) => {
    const code = codeWith({ "26": accountWith("01", key) });
    expect(readBrCode(code).pixKey).toBe(key);
  });

  it.each(["0", "0.00", "000."])("has an amount of zero: %j", (amount) => {
    const account = accountWith("01", KEY);
    const { field, message } = refusalOf(codeWith({ "26": account, "54": amount }));
    expect(field).toBe("54");
    expect(message).toContain("must be more than 0, or absent if the payer chooses it");
    const withdrawal = codeWith({ "26": account + toField("03", "12345678"), "54": amount });
    expect(readBrCode(withdrawal).amount).toBe(amount);
  });

  it.each([
    [
      "counted in bytes",
      codeWith({}, ["6008BRASILIA", "6010São Paulo"]),
      '60 (merchant city) announces 10 characters, but is "São Paulo" (9 characters): its length is in bytes.',
    ],
    [
      "counted in bytes in several fields",
      codeWith({}, ["5913Fulano de Tal6008BRASILIA", "5910São João6010São Paulo"]),
      '59 (merchant name) announces 10 characters, but is "São João" (8 characters): its length is in bytes.',
    ],
    [
      "of which an emoji counts as two",
      codeWith({}, ["5913Fulano de Tal", "5912LOJA 🛒 FELIZ".replace("12", "13")]),
      '59 (merchant name) announces 13 characters, but is "LOJA 🛒 FELIZ" (12 characters): an emoji is one.',
    ],
    [
      "of a merchant category with one zero too many",
      codeWith({}, ["52040000", "520400000"]),
      '52 (merchant category) announces 4 characters, but is "00000" (5 characters).',
    ],
    [
      "of three digits",
      codeWith({ "26": accountWith("01", KEY) + toField("02", "a".repeat(58)) }),
      "26 (merchant account) announces 120 characters, but can have 99 at most: shorten the fields in it.",
    ],
  ])("names the field with a length %s", (_title, text, message) => {
    expect(refusalOf(text).message).toBe(`Field ${message}`);
  });

  it("whose CRC is right was generated so", () => {
    for (const text of [
      codeWith({ "52": "00000" }),
      codeWith({ "59": "a".repeat(28) }),
      codeWith({}, ["6008BRASILIA", "6010São Paulo"]),
    ])
      expect(wordsOf(refusalOf(text).advice)).toMatch(/^The CRC is right: .* generator/);
    expect(wordsOf(refusalOf(STATIC_TEXT.replace(/.$/, "E")).advice)).toMatch(/^Copy the whole/);
  });

  it.each([
    ["letters must be capitals", STATIC_TEXT.replace("1D3D", "1d3d")],
    ["leading zero is missing", withShortCrc()],
    ['without "6304"', headOf(STATIC_TEXT) + hexOf(crc16(headOf(STATIC_TEXT).slice(0, -4)))],
    ["start value 0000", headOf(STATIC_TEXT) + hexOf(crc16(headOf(STATIC_TEXT), 0))],
    [
      "over Latin-1",
      // As the package pix-payload 1.0.4 writes it.
      "00020126360014BR.GOV.BCB.PIX0114pix@bcb.gov.br520400005303986540510.505802BR5916Padaria São João6008BRASILIA62120508PEDIDO4263043086",
    ],
  ])("names the generator's mistake in the CRC: %s", (mistake, text) => {
    const { field, message, advice } = refusalOf(text);
    expect(field).toBe("63");
    expect(message).toContain(mistake);
    expect(wordsOf(advice)).toMatch(/^The code is whole\./);
  });

  it.each(["59", "60", "26-02"])("has a control character in field %s", (field) => {
    const account = accountWith("01", KEY);
    const value = "Loja\u0007";
    const changes =
      field === "26-02"
        ? { "26": account + toField("02", value) }
        : { "26": account, [field]: value };
    expect(refusalOf(codeWith(changes))).toMatchObject({
      field,
      message: expect.stringContaining("control characters") as string,
    });
  });

  it.each([
    ["a line break", STATIC_TEXT.replace("4000", "40\r\n00")],
    ["a line break", STATIC_TEXT.replace("Fulano ", "Fulano\n")],
    ["a zero-width space (U+200B)", STATIC_TEXT.replace("Fulano", "Fu\u200blano")],
    ["a no-break space (U+00A0)", STATIC_TEXT.replaceAll(" ", "\u00a0")],
    ["characters as an address encodes them (%20)", encodeURIComponent(STATIC_TEXT)],
    ["characters as an address encodes them (+)", STATIC_TEXT.replaceAll(" ", "+")],
    ["quotes around it", `"${STATIC_TEXT}"`],
    ["quotes around it", `“${STATIC_TEXT}”`],
    ["other text around it", `Pix Copia e Cola: ${STATIC_TEXT}.`],
    ["a line break and quotes around it", `'${STATIC_TEXT.replace("52", "\n52")}'`],
    ['62-05 (txid) must be "***"', STATIC_TEXT.replace("***", "*")],
    ['62-05 (txid) must be "***"', STATIC_TEXT.replace("***", "")],
    ['62-05 (txid) must be "***"', STATIC_TEXT.replace("***", "\\*\\*\\*")],
  ])("has %s, and is right without: %j", (damage, text) => {
    expect(refusalOf(text)).toMatchObject({
      field: "code",
      message: expect.stringContaining(damage) as string,
      mended: STATIC_TEXT,
    });
  });

  it("has a foreign character, and is damaged beside that", () => {
    const { message, mended, advice } = refusalOf(STATIC_TEXT.replace("Fulano", "Ful\nno"));
    expect(message).toBe("The code contains a line break.");
    expect(mended).toBeUndefined();
    expect(wordsOf(advice)).toMatch(/^Copy the whole/);
  });

  it("names a field's expected and actual content", () => {
    expect(refusalOf(codeWith({ "60": "RIO DE JANEIRO RJ" })).message).toBe(
      'Field 60 (merchant city) must be 1 to 15 characters, but is "RIO DE JANEIRO RJ" (17 characters).',
    );
  });

  it("is refused whichever character was changed", () => {
    for (const { text } of GOLDENS) {
      for (let index = 0; index < text.length; index++) {
        const changed = String.fromCharCode(text.charCodeAt(index) ^ (1 + (index % 7)));
        const { field } = refusalOf(text.slice(0, index) + changed + text.slice(index + 1));
        expect(field).toBe(changed === "\u007f" ? "code" : "63");
      }
    }
  });
});

function refusalOf(text: string): BrCodeError {
  try {
    readBrCode(text);
  } catch (error) {
    if (error instanceof BrCodeError) return error;
    throw error;
  }
  throw new Error(`${text} was not refused.`);
}

/** A code up to its CRC's digits. */
function headOf(text: string): string {
  return text.slice(0, -4);
}

function hexOf(crc: number): string {
  return crc.toString(16).toUpperCase().padStart(4, "0");
}

/** A code whose CRC begins with a zero, without that zero. */
function withShortCrc(): string {
  for (let order = 0; ; order++) {
    const code = codeWith({ "62": toField("05", `ORDER${order}`) });
    if (code.at(-4) === "0") return headOf(code) + code.slice(-3);
  }
}

type Random = () => number;

/** Mulberry32: the same draws on every run. */
function seeded<T>(seed: number, count: number, draw: (random: Random) => T): T[] {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  return Array.from({ length: count }, () => draw(random));
}

const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  "áàâãéêíóôõúüç ÁÉÍÓÚÇñß æøþ Łodz",
  "& e Cia. Ltda / S.A. - () ' \" , ; % * + ~ ^ _ =",
  "🛒🔥👨‍👩‍👧🇧🇷 loja",
  "متجر שלום 店 日本 ＡＢＣ",
  "\u0000\u0007\t\n\r\u001b\u007f\u0085\u00a0\u200b\u202e\ufeff\ud800 a",
];

function anyName(random: Random): string {
  const characters = Array.from(ALPHABETS[Math.floor(random() * ALPHABETS.length)] ?? "");
  const length = random() < 0.1 ? 200 : Math.floor(random() * 40);
  return Array.from({ length }, () => characters[Math.floor(random() * characters.length)]).join(
    "",
  );
}

function anyDraft(random: Random): {
  location: string;
  merchantName: string;
  merchantCity: string;
} {
  const host = "pix-sandbox.example/";
  const path = "abcdef0123456789-/";
  const length = random() < 0.1 ? 77 - host.length : 1 + Math.floor(random() * (77 - host.length));
  const token = Array.from({ length }, () => path[Math.floor(random() * path.length)]).join("");
  return {
    location: host + token,
    merchantName: toBrCodeText(anyName(random), 25, "PIX SANDBOX"),
    merchantCity: toBrCodeText(anyName(random), 15, "SAO PAULO"),
  };
}
