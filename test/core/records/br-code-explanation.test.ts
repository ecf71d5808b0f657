import { describe, expect, it } from "vitest";
import { BrCodeError, BrCodeFactory } from "../../../src/core/records/br-code.ts";
import { explainBrCode } from "../../../src/core/records/br-code-explanation.ts";
import { accountWith, codeWith, toField } from "../../support/br-codes.ts";
import { inWords, wordsOf } from "../../support/words.ts";
import { english } from "../../../src/text/languages.ts";

const CODE =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
/** Beside Pix it has templates of another arrangement. */
const TWO_ARRANGEMENTS =
  "00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38";

describe("the explanation of a BR Code", () => {
  it("has each field with its name, value and meaning", () => {
    const { fields, result } = explainBrCode(CODE);
    expect(result).toMatchObject({ kind: "dynamic" });
    expect(
      fields.map(({ id, name, value, note }) => [id, english(name), value, wordsOf(note)]),
    ).toEqual([
      ["00", "payload format", "01", undefined],
      ["01", "point of initiation", "12", "for one payment"],
      ["26", "merchant account", CODE.slice(16, 86), undefined],
      ["26-00", "arrangement", "br.gov.bcb.pix", undefined],
      ["26-25", "location", "pix.example.com/8b3da2f39a4140d1a91abd93113bd441", undefined],
      ["52", "merchant category", "0000", "not given"],
      ["53", "currency", "986", "BRL, the real"],
      ["58", "country", "BR", undefined],
      ["59", "merchant name", "Fulano de Tal", undefined],
      ["60", "merchant city", "BRASILIA", undefined],
      ["62", "additional data", "0503***", undefined],
      ["62-05", "txid", "***", "none"],
      ["63", "CRC", "64E4", "correct"],
    ]);
    const templates = fields.filter(({ isTemplate }) => isTemplate).map(({ id }) => id);
    expect(templates).toEqual(["26", "62"]);
  });

  it("does not name the fields of another arrangement", () => {
    const { fields, result } = explainBrCode(TWO_ARRANGEMENTS);
    expect(result).toMatchObject({ kind: "static", amount: "123.45" });
    const others = fields.filter(({ name }) => english(name) === "of another arrangement");
    expect(others.map(({ id }) => id)).toEqual(["27", "27-00", "27-01", "80", "80-00", "80-01"]);
    expect(fields).toContainEqual(
      expect.objectContaining({
        id: "04",
        name: inWords({ en: "not defined by Pix" }),
      }),
    );
  });

  it("has all fields of a code whose CRC is wrong", () => {
    const { fields, result } = explainBrCode(CODE.replace("Fulano", "Fulana"));
    expect(result).toBeInstanceOf(BrCodeError);
    expect(result).toMatchObject({ field: "63" });
    expect(fields).toHaveLength(13);
    expect(fields.at(-1)).toMatchObject({ id: "63", value: "64E4", note: undefined });
  });

  it.each([
    ["", ["63"]],
    ["abc", ["63"]],
    ["000201", ["00", "63"]],
    [CODE.slice(0, 40), ["00", "01", "63"]],
    ["0".repeat(600), ["00", "63"]],
  ])("has the fields before the fault, and the wrong one: %j", (text, ids) => {
    const { fields, result } = explainBrCode(text);
    expect(result).toBeInstanceOf(BrCodeError);
    expect(fields.map(({ id }) => id)).toEqual(expect.arrayContaining(ids.slice(0, -1)));
  });

  it.each([
    ["198", "BRL; some banks require two decimals: 198.00"],
    ["10.", "BRL; some banks require two decimals: 10.00"],
    ["10.5", "BRL; some banks require two decimals: 10.50"],
    ["10.50", "BRL"],
  ])("has a note beside the amount %s of a valid code", (amount, note) => {
    const account = accountWith("01", "pix@bcb.gov.br");
    const { fields, result } = explainBrCode(codeWith({ "26": account, "54": amount }));
    expect(result).toMatchObject({ kind: "static", amount });
    expect(wordsOf(fields.find(({ id }) => id === "54")?.note)).toBe(note);
  });

  it("has a note beside each field of a valid code that some banks refuse", () => {
    const account = accountWith("01", "71999990000") + toField("02", "Café");
    const code = codeWith({
      "26": account,
      "59": "São João & Cia",
      "60": "Sao_Paulo-2",
      "62": toField("05", "pedido-42"),
    });
    const { fields, result } = explainBrCode(code);
    expect(result).toMatchObject({ kind: "static" });
    const notes = fields.map(({ id, note }) => [id, wordsOf(note)] as const);
    expect(notes.filter(([id, note]) => note !== undefined && /^(?:26|59|6[02])/.test(id))).toEqual(
      [
        ["26-01", "no valid CPF; a phone number begins with +55"],
        ["26-02", "some banks refuse é"],
        ["59", "some banks refuse ã &"],
        ["62-05", "some banks accept only letters and digits"],
      ],
    );
  });

  it("has no such note beside our own names, nor the fields of a mended code", () => {
    const code = new BrCodeFactory({ locationBase: "pix-sandbox.example", city: "São Paulo" });
    const own = code.write("0".repeat(32), "Café & Cia. d'Água");
    const notes = explainBrCode(own).fields.map(({ note }) => wordsOf(note) ?? "");
    expect(notes.join()).not.toMatch(/bank|CPF/);
    const { fields, result } = explainBrCode(`"${CODE}"`);
    expect(result).toMatchObject({ field: "code", mended: CODE });
    expect(fields).toEqual(explainBrCode(CODE).fields);
  });
});
