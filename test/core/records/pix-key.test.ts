import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../../src/core/assumptions/table.ts";
import {
  isPixKey,
  PIX_KEY_RULES,
  PIX_KEY_TYPES,
  type PixKeyType,
} from "../../../src/core/records/checks.ts";
import { assume } from "../../support/core.ts";
import { english, translate } from "../../../src/text/languages.ts";

const V4 = "123e4567-e12b-42d1-a456-426655440000";
const V1 = "123e4567-e12b-12d1-a456-426655440000";
const LONG = `${"a".repeat(66)}@example.com`;

/** Each key with the choices under which it has the form of its type. */
const KEYS: {
  type: PixKeyType;
  assumption: keyof Assumptions;
  choices: readonly string[];
  keys: readonly (readonly [key: string, takenBy: readonly string[]])[];
}[] = [
  {
    type: "cpf",
    assumption: "cpf.check",
    choices: ["shape", "check_digits"],
    keys: [
      ["52998224725", ["shape", "check_digits"]],
      ["52998224724", ["shape"]],
      ["11111111111", ["shape"]],
      ["529.982.247-25", []],
      ["5299822472", []],
      ["529982247255", []],
      ["+5299822472", []],
      ["", []],
    ],
  },
  {
    type: "phone",
    assumption: "phone.size",
    choices: ["either", "words", "size"],
    keys: [
      ["+5511987654321", ["either", "words"]],
      ["+5500000000000", ["either", "words"]],
      ["+4411987654321", ["either"]],
      ["+119876543210", ["either", "size"]],
      ["+551187654321", ["either", "size"]],
      ["+55118765432", []],
      ["+55119876543210", []],
      ["+0511987654321", []],
      ["5511987654321", []],
      ["+55 11987654321", []],
      ["+55(11)987654321", []],
      ["+551198765432a", []],
      ["+5511987654321\n", []],
      ["++511987654321", []],
      ["", []],
    ],
  },
  {
    type: "email",
    assumption: "email.size",
    choices: ["any", "77"],
    keys: [
      ["maria@example.com", ["any", "77"]],
      [LONG.slice(1), ["any", "77"]],
      [LONG, ["any"]],
      ["maria@localhost", []],
      ["maria", []],
      ["", []],
    ],
  },
  {
    type: "evp",
    assumption: "evp.form",
    choices: ["any", "lower_v4"],
    keys: [
      [V4, ["any", "lower_v4"]],
      [V4.replace("-a456", "-8456"), ["any", "lower_v4"]],
      [V4.replace("-a456", "-b456"), ["any", "lower_v4"]],
      [V1, ["any"]],
      [V4.toUpperCase(), ["any"]],
      [V4.replace("-a456", "-c456"), ["any"]],
      ["00000000-0000-0000-0000-000000000000", ["any"]],
      [V4.replaceAll("-", ""), []],
      [`{${V4}}`, []],
      [`${V4}0`, []],
      [V4.slice(1), []],
      [V4.replace("1", "g"), []],
      [`${V4}\n`, []],
      ["", []],
    ],
  },
];

describe.each(KEYS)("a Pix key of type $type", ({ type, assumption, choices, keys }) => {
  describe.each(choices)(`with ${assumption}=%s`, (choice) => {
    it.each(keys)("is checked: %j", (key, takenBy) => {
      expect(isPixKey(type, key, assume({ [assumption]: choice }))).toBe(takenBy.includes(choice));
    });
  });

  it("is not touched by the choices for the other types", () => {
    const others = KEYS.filter((other) => other.type !== type);
    const changed = Object.fromEntries(
      others.map((other) => [other.assumption, other.choices.at(-1)]),
    );

    for (const [key] of keys)
      expect(isPixKey(type, key, assume(changed))).toBe(isPixKey(type, key, assume()));
  });
});

describe("the phone key of the specification's size", () => {
  it("has 13 characters, that of its words 14", () => {
    expect(["+551187654321", "+5511987654321"].map(({ length }) => length)).toEqual([13, 14]);
  });
});

describe("the types of a Pix key", () => {
  it("are the specification's, and each has its rule in both languages", () => {
    expect(PIX_KEY_TYPES.toSorted()).toEqual(["cpf", "email", "evp", "phone"]);
    expect(KEYS.map(({ type }) => type).toSorted()).toEqual(PIX_KEY_TYPES.toSorted());
    for (const type of PIX_KEY_TYPES) {
      expect(english(PIX_KEY_RULES[type])).toMatch(/^pix_key must .*\.$/);
      expect(translate(PIX_KEY_RULES[type], "pt")).toMatch(/^pix_key deve .*\.$/);
    }
  });
});
