import { generatePixPayload, getPixPayloadInfo } from "@brazilian-utils/brazilian-utils";
import { hasError, isDynamicPix, parsePix } from "pix-utils";
import { describe, expect, it } from "vitest";
import { type BrCodeDefect, readBrCode } from "../../../src/core/records/br-code.ts";
import {
  crcOf,
  createBrCodes,
  fitsBrCode,
  toBrCodeText,
} from "../../../src/core/records/br-code-writer.ts";
import { accountWith, codeWith, toField } from "../../support/br-codes.ts";
import { wordsOf } from "../../support/words.ts";

const KEY = "123e4567-e12b-12d1-a456-426655440000";
const MANUAL = {
  "26-25": "pix.example.com/8b3da2f39a4140d1a91abd93113bd441",
  "59": "Fulano de Tal",
  "60": "BRASILIA",
};
const STATIC =
  "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";
const DYNAMIC =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
const RECURRENCE = { "80-25": "pix.example.com/rec/2353c790eefb11eaadc10242ac120002" };

/** Codes of the central bank's manuals and API, and of a provider, with what they say. */
const GOLDENS: [text: string, kind: string, fields: Record<string, string>][] = [
  [STATIC, "static", { "26-01": KEY, "59": "Fulano de Tal", "60": "BRASILIA", "62-05": "***" }],
  [DYNAMIC, "dynamic", MANUAL],
  [
    "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741",
    "dynamic",
    { "80-25": "pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890" },
  ],
  [
    "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9",
    "recurrence",
    { "80-25": "pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002" },
  ],
  [
    "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304FB42",
    "dynamic",
    { ...MANUAL, ...RECURRENCE },
  ],
  [
    "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406100.505802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac12000263042875",
    "static",
    { "26-01": KEY, "54": "100.50", ...RECURRENCE },
  ],
  [
    "00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38",
    "static",
    { "26-01": KEY, "54": "123.45", "62-05": "RP12345678-2019" },
  ],
  [
    "00020101021226980014br.gov.bcb.pix2576api.woovi-sandbox.com/api/testaccount/qr/v1/d983a07836cf48ed9a65764d3c18427352040000530398654040.015802BR5921Lucas_Aprigio_Sandbox6009Sao_Paulo62290525d983a07836cf48ed9a65764d363046759",
    "dynamic",
    { "54": "0.01", "62-05": "d983a07836cf48ed9a65764d3" },
  ],
  [
    "00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB",
    "dynamic",
    { "59": "EMPRESA" },
  ],
  [codeWith({ "26": undefined, "51": accountWith("25", "a.example/1") }), "dynamic", {}],
  [codeWith({ "59": "Loja 🛒" }, ["5907", "5906"]), "dynamic", { "59": "Loja 🛒" }],
];

describe("a written BR Code", () => {
  it("is the one that another library writes, and two others read, whatever the names are", () => {
    expect(crcOf("123456789")).toBe("29B1");
    for (const [index, locationBase] of [
      "a.b",
      `pay.example/${"a".repeat(26)}`,
      "b.example",
    ].entries())
      for (const name of NAMES) {
        const id = String(index).repeat(32);
        const text = createBrCodes({ locationBase, city: name }).write(id, `${name}${index}`);
        const url = `${locationBase}/qr/v2/${id}`;
        const merchantName = toBrCodeText(`${name}${index}`, 25, "PIX SANDBOX");
        const merchantCity = toBrCodeText(name, 15, "SAO PAULO");
        expect(text).toBe(generatePixPayload({ url, merchantName, merchantCity }));
        expect(getPixPayloadInfo(text)).toMatchObject({ url, merchantName, merchantCity });
        const parsed = parsePix(text);
        if (hasError(parsed) || !isDynamicPix(parsed)) throw new Error(`pix-utils refuses ${text}`);
        expect(parsed).toMatchObject({ url, merchantName, merchantCity });
        const { fields, ...code } = readBrCode(text);
        expect(code).toMatchObject({ kind: "dynamic", location: url, merchantName });
        expect(fields.map(({ note }) => wordsOf(note)).join()).not.toMatch(/bank/);
      }
  });

  it.each(["a".repeat(39), "https://a.example", "a b.example", ""])(
    "cannot have a location below %j",
    (base) => expect(fitsBrCode(base)).toBe(false),
  );

  it("has the merchant's name and the city", () => {
    const codes = createBrCodes({ locationBase: "pix-sandbox.example", city: "" });
    expect(codes.write("0".repeat(32), "Café & Cia.")).toContain("5909Cafe Cia.6009SAO PAULO");
    expect(codes.write("f".repeat(32), "🛒")).toContain("5911PIX SANDBOX");
  });

  it.each([
    ["Padaria São João", "Padaria Sao Joao"],
    ["1º Tabelionato", "1o Tabelionato"],
    ["  loja\t\tdo\r\n Zé  ", "loja do Ze"],
    ["loja\u0000\u001b[31m", "loja 31m"],
    ["Loja 🛒 Feliz", "Loja Feliz"],
    ["acme_pay-2.0", "acme_pay-2.0"],
    ["D'Água/S.A. (Matriz)", "D Agua S.A. Matriz"],
    [`${"a".repeat(24)} b`, "a".repeat(24)],
    [`${"é".repeat(25)}!`, "e".repeat(25)],
    [`${"🛒".repeat(199)}Z`, "Z"],
    ["متجر שלום &", "NOBODY"],
  ])("has for %j the name %j", (text, folded) => {
    expect(toBrCodeText(text, 25, "NOBODY")).toBe(folded);
  });
});

const NAMES = [
  "Padaria da Maria",
  "áàâãéêíóôõúüç ÁÉÍÓÚÇñß æøþ Łodz",
  "& e Cia. Ltda / S.A. - () ' \" , ; % * + ~ ^ _ =",
  "🛒🔥👨‍👩‍👧🇧🇷 loja",
  "متجر שלום 店 日本 ＡＢＣ",
  "\u0000\u0007\t\n\r\u001b\u007f\u0085\u00a0\u200b\u202e\ufeff\ud800 a",
];

describe("a read BR Code", () => {
  it.each(GOLDENS)("is valid: %s", (text, kind, fields) => {
    const { defect, ...code } = readBrCode(text);
    expect(defect).toBeUndefined();
    expect(code.kind).toBe(kind);
    expect(Object.fromEntries(code.fields.map(({ id, value }) => [id, value]))).toMatchObject(
      fields,
    );
  });

  it("is refused whichever character was changed", () => {
    for (const [text] of GOLDENS)
      for (let index = 0; index < text.length; index++) {
        const changed = String.fromCharCode(text.charCodeAt(index) ^ (1 + (index % 7)));
        expect(
          readBrCode(text.slice(0, index) + changed + text.slice(index + 1)).defect,
        ).toBeDefined();
      }
  });

  it("names the fields of Pix alone", () => {
    const { fields } = readBrCode(GOLDENS[6]?.[0] ?? "");
    const undefinedOnes = fields.filter(({ name }) => wordsOf(name) === "not defined by Pix");
    const ids = undefinedOnes.map(({ id }) => id);
    expect(ids).toEqual(["04", "27", "27-00", "27-01", "80", "80-00", "80-01"]);
  });

  it.each([
    ["54", "198", "BRL; some banks require two decimals: 198.00"],
    ["54", "10.", "BRL; some banks require two decimals: 10.00"],
    ["54", "10.50", "BRL"],
    ["59", "São João & Cia", "some banks refuse ã &"],
    ["60", "Sao_Paulo-2", undefined],
    ["62", toField("05", "pedido-42"), "some banks accept only letters and digits"],
    ["26", accountWith("01", "71999990000"), "no valid CPF; a phone number begins with +55"],
    ["26", accountWith("01", KEY) + toField("02", "Café"), "some banks refuse é"],
  ])("has a note in %s for %j: %s", (id, value, note) => {
    const { fields, defect } = readBrCode(codeWith({ [id]: value }));
    expect(defect).toBeUndefined();
    const notes = fields.filter((one) => one.id.startsWith(id)).map((one) => wordsOf(one.note));
    expect(notes.findLast((one) => one !== undefined)).toBe(note);
  });

  it.each(["12345678909", "12345678000195", "12ABC34501DE35", "pix@bcb.gov.br", "+5571999990000"])(
    "has a key of the directory: %s",
    (key) => {
      expect(readBrCode(codeWith({ "26": accountWith("01", key) }))).toMatchObject({
        kind: "static",
        defect: undefined,
      });
    },
  );
});

describe("a wrong BR Code", () => {
  const account = accountWith("01", KEY);
  const OVERLONG = accountWith("25", `pix.example.com/${"a".repeat(62)}`);

  it.each([
    ["63", STATIC.slice(0, -8), 'must end the code as "6304" and 4 digits'],
    ["63", STATIC.slice(0, -2), 'must end the code as "6304" and 4 digits'],
    ["63", STATIC.replace(/.$/, "E"), 'must be "1D3D", but is "1D3E" (4 characters)'],
    ["62", codeWith({}, ["62070503***", "62150503***"]), "the CRC must follow"],
    ["60", codeWith({}, ["6008", "6099"]), "only 27 follow"],
    ["00", codeWith({ "00": "02" }), "must be 01"],
    ["00", codeWith({ "00": undefined }), "must come first, but 01 does"],
    ["00", codeWith({}, ["000201010212", "010212000201"]), "must come first"],
    ["01", codeWith({ "01": "13" }), "must be 11 or 12"],
    ["26-00", codeWith({ "26": undefined }), "must be br.gov.bcb.pix"],
    ["26-00", codeWith({ "26": toField("00", "br.com.outro") }), "must be br.gov.bcb.pix"],
    ["26", codeWith({ "26": toField("00", "br.gov.bcb.pix") }), "has neither"],
    ["26-25", codeWith({ "26": account + toField("25", "a.example/1") }), "must be absent"],
    ["26-02", codeWith({ "26": `${account}0200` }), "1 to 72 printable characters"],
    ["26-25", codeWith({ "26": accountWith("25", "https://a.example/1") }), "no https://"],
    ["51-25", codeWith({ "26": undefined, "51": accountWith("25", "https://a.b/1") }), "https"],
    // No template has room for 78 characters: it ends too soon, or its length has three digits.
    ["26-25", codeWith({ "26": OVERLONG.slice(0, -1) }), "only 77 follow"],
    ["26", codeWith({ "26": OVERLONG }), "its length has three digits: shorten the fields in it"],
    ["26-03", codeWith({ "26": account + toField("03", "123") }), "an ISPB of 8 characters"],
    ["52", codeWith({ "52": undefined }), "must be four digits, but is missing"],
    ["53", codeWith({ "53": "840" }), "986, the real"],
    ["54", codeWith({ "54": "10,50" }), "in reais, such as 10.50"],
    ["54", codeWith({ "54": "10.505" }), "in reais"],
    ["54", codeWith({ "54": "12345678901.00" }), "in reais"],
    ["54", codeWith({ "26": account, "54": "0.00" }), "must be more than 0, or absent"],
    ["58", codeWith({ "58": "US" }), "must be BR"],
    ["59", codeWith({ "59": undefined }), "is missing"],
    ["59", codeWith({ "59": "a".repeat(28) }), "must be 1 to 25 printable characters"],
    ["59", codeWith({ "59": "Loja\u0007" }), "printable characters, but is"],
    ["60", codeWith({ "60": "RIO DE JANEIRO RJ" }), 'but is "RIO DE JANEIRO RJ" (17 characters)'],
    ["62-05", codeWith({ "62": undefined }), "is missing"],
    ["62", codeWith({ "62": "***" }), "no other field follows them"],
    ["62-05", codeWith({ "62": toField("01", "1") }), "is missing"],
    ["62-05", codeWith({ "62": toField("05", "a".repeat(26)) }), "1 to 25 letters and digits"],
    ["59", codeWith({}, ["6008", "5901a6008"]), "appears twice"],
    [
      "59",
      codeWith({}, ["5913", "5912"]),
      "announces 12 characters, but no other field follows them",
    ],
    ["58", codeWith({}, ["5913", "59l3"]), "no other field follows them"],
    ["80-25", codeWith({ "80": toField("00", "br.gov.bcb.pix") }), "is missing"],
    [
      "52",
      codeWith({}, ["52040000", "520400000"]),
      "announces 4 characters, but no other field follows",
    ],
    [
      "60",
      codeWith({}, ["6008BRASILIA", "6010São Paulo"]),
      "an accented letter or an emoji is one",
    ],
    ["59", codeWith({ "59": "LOJA 🛒" }), "an accented letter or an emoji is one character"],
  ])("names field %s of %s: %s", (field, text, reason) => {
    const defect = defectOf(text);
    expect(defect).toMatchObject({ field });
    expect(wordsOf(defect.text)).toMatch(new RegExp(`^Field ${field} [^\\n]+[^.]\\.$`));
    expect(wordsOf(defect.text)).toContain(reason);
    const advice =
      field === "63" ? /^Copy the whole code again/ : /^The CRC is right: .* generator/;
    expect(wordsOf(defect.advice)).toMatch(advice);
    expect(readBrCode(text).fields.map(({ id }) => id)).toContain(field);
  });

  it("may have an amount of zero for a withdrawal", () => {
    const code = codeWith({ "26": account + toField("03", "12345678"), "54": "0" });
    expect(readBrCode(code).defect).toBeUndefined();
  });

  it.each([
    ["", "This is not a BR Code"],
    ["https://pix.example.com", "This is not a BR Code"],
    [
      codeWith({
        "91": "a".repeat(99),
        "92": "a".repeat(99),
        "93": "a".repeat(99),
        "94": "a".repeat(99),
      }),
      "512",
    ],
  ])("is another text: %s", (text, reason) => {
    expect(wordsOf(defectOf(text).text)).toContain(reason);
    expect(defectOf(text).field).toBe("code");
  });

  it.each(["43214833", "(71) 99999-0000", "123.456.789-09", "Fulano@Example.com", ""])(
    "has a key of no form of the directory: %j",
    (key) => {
      const { field, text } = defectOf(codeWith({ "26": accountWith("01", key) }));
      expect(field).toBe("26-01");
      expect(wordsOf(text)).toContain("must be a CPF or CNPJ without punctuation");
    },
  );

  it.each([
    ["letters must be capitals", STATIC.replace("1D3D", "1d3d")],
    ['without "6304"', STATIC.slice(0, -4) + crcOf(STATIC.slice(0, -8))],
    [
      "over Latin-1",
      // As the package pix-payload 1.0.4 writes it.
      "00020126360014BR.GOV.BCB.PIX0114pix@bcb.gov.br520400005303986540510.505802BR5916Padaria São João6008BRASILIA62120508PEDIDO4263043086",
    ],
  ])("has a CRC with the generator's mistake: %s", (mistake, code) => {
    const { field, text, advice } = defectOf(code);
    expect(field).toBe("63");
    expect(wordsOf(text)).toContain(mistake);
    expect(wordsOf(advice)).toMatch(/^The code is whole\./);
  });

  const BLANK = "the invisible character U+00A0";
  it.each([
    ["a line break", STATIC.replace("4000", "40\r\n00")],
    ["a line break", STATIC.replace("Fulano ", "Fulano\n")],
    ["the invisible character U+200B", STATIC.replace("Fulano", "Fu\u200blano")],
    [BLANK, STATIC.replaceAll(" ", "\u00a0")],
    ["quotes or other text around it", `“${STATIC}”`],
    ["quotes or other text around it", `Pix Copia e Cola: ${STATIC}.`],
    ["a line break and quotes", `'${STATIC.replace("52", "\n52")}'`],
    ["three asterisks", STATIC.replace("***", "*")],
    ["three asterisks", STATIC.replace("***", "")],
    ["three asterisks", STATIC.replace("***", "\\*\\*\\*")],
  ])("has %s, and is right without: %j", (damage, text) => {
    const defect = defectOf(text);
    expect(defect).toMatchObject({ field: "code", mended: STATIC });
    expect(wordsOf(defect.text)).toContain(damage);
    expect(readBrCode(text).fields).toEqual(readBrCode(STATIC).fields);
  });

  it("has a foreign character, and is damaged beside that", () => {
    const { text, mended, advice } = defectOf(STATIC.replace("Fulano", "Ful\nno"));
    expect(wordsOf(text)).toBe("The code contains a line break.");
    expect(mended).toBeUndefined();
    expect(wordsOf(advice)).toMatch(/^Copy the whole/);
  });
});

function defectOf(text: string): BrCodeDefect {
  const { defect } = readBrCode(text);
  if (!defect) throw new Error(`${text} is valid.`);
  return defect;
}
