import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PlayError } from "../../../src/play/play-error.ts";
import { describeStep, readScenario, VERBS } from "../../../src/play/scenario/scenario.ts";
import { createFolder } from "../../support/folder.ts";
import type { Language } from "../../../src/text/languages.ts";
import { inWords, wordsOf } from "../../support/words.ts";

const charge = { create_payin: {}, as: "charge" };
const payout = { create_payout: {}, as: "payout" };

let folder: Awaited<ReturnType<typeof createFolder>>;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Reads a scenario of these steps, or of these members. */
const read = async (given: unknown) => {
  const isSteps = Array.isArray(given) && given.length > 0;
  const story = isSteps ? { about: "A story of this test.", steps: given as unknown[] } : given;
  const file = folder.at("story.json");
  await writeFile(file, JSON.stringify(story));
  return await readScenario(file, "story.json");
};

const refusalOf = async (given: unknown): Promise<PlayError> => {
  const error: unknown = await read(given).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PlayError);
  return error as PlayError;
};

const inLanguage = ({ text, hint }: PlayError, language: Language): readonly string[] =>
  [text, ...(hint ? [hint] : [])].map((message) => wordsOf(message, language));

describe("a scenario file", () => {
  it("takes the extremes of every range, and completes what is left out", async () => {
    const { about, steps } = await read([
      { ...charge, key: " key 1 ", says: "The buyer pays" },
      { create_payin: {}, as: "low", answer: { status: 100, headers: { allow: null } } },
      { create_payin: {}, as: "high", answer: { status: 599, body: {} } },
      { fault: "hold", on: "payins.create", times: 1, probability: 0, as: "never" },
      { fault: "hold", on: "payins.create", probability: 1 },
      { merchant_answers: [200, 599, "nothing"] },
      { expect_received: 0, ids: 0 },
      { send_webhook: "payin.paid" },
      { wait_for: "payin.paid", of: "charge", timeout: "1.5ms", as: "webhook" },
      { expect_record: "charge", members: { id: "{{ any }}", value: "{{merchant.url}}" } },
      { call: "DELETE /_sandbox/faults", only: "own_handler" },
    ]);
    expect(about).toEqual(inWords({ en: "A story of this test.", pt: "A story of this test." }));
    expect(steps).toEqual([
      {
        verb: "create_payin",
        ...charge,
        key: "key 1",
        says: inWords({ en: "The buyer pays", pt: "O comprador paga" }),
      },
      {
        verb: "create_payin",
        create_payin: {},
        as: "low",
        answer: { status: 100, headers: { allow: null } },
      },
      { verb: "create_payin", create_payin: {}, as: "high", answer: { status: 599, body: {} } },
      {
        verb: "fault",
        fault: "hold",
        on: "payins.create",
        times: 1,
        probability: 0,
        as: "never",
      },
      { verb: "fault", fault: "hold", on: "payins.create", probability: 1 },
      { verb: "merchant_answers", merchant_answers: [200, 599, "nothing"] },
      { verb: "expect_received", expect_received: 0, ids: 0 },
      { verb: "send_webhook", send_webhook: "payin.paid", signature: "valid", json: "usual" },
      {
        verb: "wait_for",
        wait_for: "payin.paid",
        of: "charge",
        timeout: "1.5ms",
        as: "webhook",
      },
      {
        verb: "expect_record",
        expect_record: "charge",
        members: { id: "{{ any }}", value: "{{merchant.url}}" },
      },
      { verb: "call", call: "DELETE /_sandbox/faults", only: "own_handler" },
    ]);
  });

  it("describes a step by what it says, else by its verb and what the verb names", async () => {
    const { steps } = await read([
      { ...charge, says: "The buyer pays" },
      { settle: true, says: "It settles" },
      { create_payout: { value: 1 } },
      { pay: "charge" },
      { merchant_answers: [500] },
    ]);
    expect(steps.map(describeStep)).toEqual([
      inWords({ en: "The buyer pays", pt: "O comprador paga" }),
      inWords({ en: "It settles", pt: "It settles" }),
      inWords({ en: 'create_payout {"value":1}', pt: 'create_payout {"value":1}' }),
      inWords({ en: "pay charge", pt: "pay charge" }),
      inWords({ en: "merchant_answers [500]", pt: "merchant_answers [500]" }),
    ]);
  });

  it("may begin with a byte order mark, and have 100 levels but not 101", async () => {
    // The file, its list, and a step are three levels.
    const nested = (levels: number): string =>
      `\ufeff{"about":"x","steps":[{"create_payin":${'{"a":'.repeat(levels - 3)}1${"}".repeat(levels - 3)}}]}`;
    await writeFile(folder.at("deep.json"), nested(100));
    await expect(readScenario(folder.at("deep.json"), "deep.json")).resolves.toMatchObject({
      about: inWords({ en: "x" }),
    });
    await writeFile(folder.at("deep.json"), nested(101));
    await expect(readScenario(folder.at("deep.json"), "deep.json")).rejects.toMatchObject({
      text: inWords({ en: "The scenario deep.json is nested more than 100 levels deep." }),
      hint: inWords({ en: "The gateway accepts bodies of at most 32 levels." }),
    });
  });

  it("that does not exist is refused with what to use instead, in both languages", async () => {
    const missing = folder.at("missing.json");
    await expect(readScenario(missing, "missing.json")).rejects.toMatchObject({
      text: inWords({
        en: "The scenario missing.json cannot be read: it does not exist.",
        pt: "O cenário missing.json não pode ser lido: ele não existe.",
      }),
      hint: inWords({
        en: "Use a JSON file, or a name from npx pix-sandbox scenario list.",
        pt: "Use um arquivo JSON, ou um nome de npx pix-sandbox scenario list.",
      }),
    });
  });

  it.each<[string, unknown, readonly string[], readonly string[]]>([
    ["a list", [], [": Use a JSON object."], [": Use um objeto JSON."]],
    [
      "an empty description",
      { about: " ", steps: [{ settle: true }] },
      [', member "about": The value is empty.'],
      [', campo "about": O valor está vazio.'],
    ],
    [
      "a number as description",
      { about: 1, steps: [{ settle: true }] },
      [', member "about": Use a string.'],
      [', campo "about": Use uma string.'],
    ],
    [
      "a description in one language",
      { about: { en: "x" }, steps: [{ settle: true }] },
      [', member "about": Use a string.'],
      [', campo "about": Use uma string.'],
    ],
    [
      "steps that are no list",
      { about: "x", steps: {} },
      [', member "steps": Use a list of steps.'],
      [', campo "steps": Use uma lista de passos.'],
    ],
    [
      "a step that is no object",
      { about: "x", steps: [1] },
      [', member "steps.0": Use an object.'],
      [', campo "steps.0": Use um objeto.'],
    ],
    [
      "an empty step",
      [{}],
      [
        ", step 1: the step has no action; its members are none.",
        `Give each step one of ${VERBS.join(", ")}.`,
      ],
      [
        ", passo 1: o passo não tem uma ação; os campos dele são nenhum.",
        `Dê a cada passo um destes: ${VERBS.join(", ")}.`,
      ],
    ],
    [
      "several unknown actions",
      [{ pays: "x", says: "y" }],
      [
        ', step 1: the step has no action; its members are "pays", "says".',
        `Give each step one of ${VERBS.join(", ")}.`,
      ],
      [
        ', passo 1: o passo não tem uma ação; os campos dele são "pays", "says".',
        `Dê a cada passo um destes: ${VERBS.join(", ")}.`,
      ],
    ],
    [
      "a name with a blank",
      [{ ...charge, as: "a b" }],
      [', step 1, member "as": Use a name of letters, digits and underscores.'],
      [', passo 1, campo "as": Use um nome de letras, dígitos e sublinhados.'],
    ],
    [
      "a name that starts with a digit",
      [{ ...charge, as: "1a" }],
      [', step 1, member "as": Use a name of letters, digits and underscores.'],
      [', passo 1, campo "as": Use um nome de letras, dígitos e sublinhados.'],
    ],
    [
      "a name that is a number",
      [{ pay: 1 }],
      [', step 1, member "pay": Use a name.'],
      [', passo 1, campo "pay": Use um nome.'],
    ],
    [
      "a reserved name",
      [{ ...charge, as: "merchant" }],
      [', step 1, member "as": the name "merchant" is in use.', "Use another name in each step."],
      [', passo 1, campo "as": o nome "merchant" já está em uso.', "Use outro nome em cada passo."],
    ],
    [
      "the name of any value",
      [{ ...charge, as: "any" }],
      [', step 1, member "as": the name "any" is in use.', "Use another name in each step."],
      [', passo 1, campo "as": o nome "any" já está em uso.', "Use outro nome em cada passo."],
    ],
    [
      "an empty key",
      [{ ...charge, key: "" }],
      [', step 1, member "key": The value is empty.'],
      [', passo 1, campo "key": O valor está vazio.'],
    ],
    [
      "a key that is a number",
      [{ ...charge, key: 1 }],
      [', step 1, member "key": Use a string.'],
      [', passo 1, campo "key": Use uma string.'],
    ],
    [
      "an empty says",
      [{ settle: true, says: "" }],
      [', step 1, member "says": The value is empty.'],
      [', passo 1, campo "says": O valor está vazio.'],
    ],
    [
      "a wrong only",
      [{ settle: true, only: "own" }],
      [', step 1, member "only": Use one of own_handler.'],
      [', passo 1, campo "only": Use um destes: own_handler.'],
    ],
    [
      "members that are a list",
      [{ create_payin: [] }],
      [', step 1, member "create_payin": Use an object.'],
      [', passo 1, campo "create_payin": Use um objeto.'],
    ],
    [
      "later that is false",
      [{ ...charge, later: false }],
      [', step 1, member "later": Use true.'],
      [', passo 1, campo "later": Use true.'],
    ],
    [
      "later without a name",
      [{ create_payin: {}, later: true }],
      [
        ', step 1, member "later": the response comes later.',
        "Name the step with as, and expect its response in a step answer_of.",
      ],
      [
        ', passo 1, campo "later": a resposta vem depois.',
        "Dê um nome ao passo com as, e espere a resposta em um passo answer_of.",
      ],
    ],
    [
      "later with a response",
      [{ ...charge, later: true, answer: {} }],
      [
        ', step 1, member "later": the response comes later.',
        "Name the step with as, and expect its response in a step answer_of.",
      ],
      [
        ', passo 1, campo "later": a resposta vem depois.',
        "Dê um nome ao passo com as, e espere a resposta em um passo answer_of.",
      ],
    ],
    [
      "an answer that is a number",
      [{ ...charge, answer: 200 }],
      [', step 1, member "answer": Use an object.'],
      [', passo 1, campo "answer": Use um objeto.'],
    ],
    [
      "an answer's status that is too low",
      [{ ...charge, answer: { status: 99 } }],
      [', step 1, member "answer.status": Use an HTTP status.'],
      [', passo 1, campo "answer.status": Use um status HTTP.'],
    ],
    [
      "an answer's status that is too high",
      [{ ...charge, answer: { status: 600 } }],
      [', step 1, member "answer.status": Use an HTTP status.'],
      [', passo 1, campo "answer.status": Use um status HTTP.'],
    ],
    [
      "an answer's status that is a text",
      [{ ...charge, answer: { status: "200" } }],
      [', step 1, member "answer.status": Use an HTTP status.'],
      [', passo 1, campo "answer.status": Use um status HTTP.'],
    ],
    [
      "an answer's empty code",
      [{ ...charge, answer: { code: "" } }],
      [', step 1, member "answer.code": The value is empty.'],
      [', passo 1, campo "answer.code": O valor está vazio.'],
    ],
    [
      "an answer's headers",
      [{ ...charge, answer: { headers: "none" } }],
      [', step 1, member "answer.headers": Use an object.'],
      [', passo 1, campo "answer.headers": Use um objeto.'],
    ],
    [
      "an answer's body",
      [{ ...charge, answer: { body: [] } }],
      [', step 1, member "answer.body": Use an object.'],
      [', passo 1, campo "answer.body": Use um objeto.'],
    ],
    [
      "an answer that is not lost",
      [{ ...charge, answer: { lost: false } }],
      [', step 1, member "answer.lost": Use true.'],
      [', passo 1, campo "answer.lost": Use true.'],
    ],
    [
      "a simulated status",
      [charge, { simulate: "charge", status: "paid" }],
      [', step 2, member "status": Use completed or canceled.'],
      [', passo 2, campo "status": Use completed ou canceled.'],
    ],
    [
      "a simulation of nothing",
      [{ simulate: "charge" }],
      [
        ', step 1: no earlier step defines a payin or payout with the name "charge".',
        'A step defines a name with "as".',
      ],
      [
        ', passo 1: nenhum passo anterior define um payin ou payout com o nome "charge".',
        'Um passo define um nome com "as".',
      ],
    ],
    [
      "a call that is a number",
      [{ call: 1 }],
      [', step 1, member "call": Use a method and a path.'],
      [', passo 1, campo "call": Use um método e um caminho.'],
    ],
    [
      "a method that does not exist",
      [{ call: "HEAD /v1/payins" }],
      [', step 1, member "call": Use a method and a path, such as PUT /v1/webhooks.'],
      [', passo 1, campo "call": Use um método e um caminho, como PUT /v1/webhooks.'],
    ],
    [
      "headers that are a list",
      [{ call: "GET /v1/webhooks", headers: [] }],
      [', step 1, member "headers": Use an object.'],
      [', passo 1, campo "headers": Use um objeto.'],
    ],
    [
      "an empty header",
      [{ call: "GET /v1/webhooks", headers: { x: "" } }],
      [', step 1, member "headers.x": The value is empty.'],
      [', passo 1, campo "headers.x": O valor está vazio.'],
    ],
    [
      "a clock that is a number",
      [{ clock: 5 }],
      [', step 1, member "clock": Use a string.'],
      [', passo 1, campo "clock": Use uma string.'],
    ],
    [
      "a clock without a time",
      [{ clock: "set " }],
      [
        ', step 1, member "clock": Use freeze, resume, advance with a duration such as 5m, or set with a time.',
      ],
      [
        ', passo 1, campo "clock": Use freeze, resume, advance com uma duração como 5m, ou set com um instante.',
      ],
    ],
    [
      "no fault",
      [{ fault: "", on: "webhook" }],
      [', step 1, member "fault": The value is empty.'],
      [', passo 1, campo "fault": O valor está vazio.'],
    ],
    [
      "an effect on calls for webhooks",
      [{ fault: "hold", on: "webhook" }],
      [
        ', step 1, member "fault": fault must be one of duplicate, duplicate_at_once, delay_ms=N (1 to 31622400000), reorder, drop_attempts=N (1 to 100), bad_signature, early.',
      ],
      [
        ', passo 1, campo "fault": fault deve ser um de duplicate, duplicate_at_once, delay_ms=N (1 a 31622400000), reorder, drop_attempts=N (1 a 100), bad_signature, early.',
      ],
    ],
    [
      "no times",
      [{ fault: "hold", on: "payins.create", times: 0 }],
      [', step 1, member "times": Use 1 or more.'],
      [', passo 1, campo "times": Use 1 ou mais.'],
    ],
    [
      "half a time",
      [{ fault: "hold", on: "payins.create", times: 1.5 }],
      [', step 1, member "times": Use a whole number.'],
      [', passo 1, campo "times": Use um número inteiro.'],
    ],
    [
      "a probability above 1",
      [{ fault: "hold", on: "payins.create", probability: 1.1 }],
      [', step 1, member "probability": Use a number from 0 to 1.'],
      [', passo 1, campo "probability": Use um número de 0 a 1.'],
    ],
    [
      "a probability below 0",
      [{ fault: "hold", on: "payins.create", probability: -0.1 }],
      [', step 1, member "probability": Use a number from 0 to 1.'],
      [', passo 1, campo "probability": Use um número de 0 a 1.'],
    ],
    [
      "a probability that is a text",
      [{ fault: "hold", on: "payins.create", probability: "1" }],
      [', step 1, member "probability": Use a number from 0 to 1.'],
      [', passo 1, campo "probability": Use um número de 0 a 1.'],
    ],
    [
      "a match that is a text",
      [{ fault: "hold", on: "payins.create", match: "x" }],
      [', step 1, member "match": Use an object.'],
      [', passo 1, campo "match": Use um objeto.'],
    ],
    [
      "a release of a payin",
      [charge, { release: "charge" }],
      [
        ', step 2: no earlier step defines a fault with the name "charge".',
        'A step defines a name with "as".',
      ],
      [
        ', passo 2: nenhum passo anterior define um fault com o nome "charge".',
        'Um passo define um nome com "as".',
      ],
    ],
    [
      "a release in the order of calls with a response",
      [
        charge,
        { fault: "hold", on: "payins.create", as: "gate" },
        { release: "gate", order: ["charge"] },
      ],
      [
        ', step 3: "charge" is not a call with a later response.',
        'A step that creates a record can set "later": true.',
      ],
      [
        ', passo 3: "charge" não é uma chamada com resposta posterior.',
        'Um passo que cria um registro pode definir "later": true.',
      ],
    ],
    [
      "a cleared fault",
      [{ clear_faults: 1 }],
      [', step 1, member "clear_faults": Use true.'],
      [', passo 1, campo "clear_faults": Use true.'],
    ],
    [
      "answers that are no list",
      [{ merchant_answers: 200 }],
      [', step 1, member "merchant_answers": Use a list.'],
      [', passo 1, campo "merchant_answers": Use uma lista.'],
    ],
    [
      "no answers",
      [{ merchant_answers: [] }],
      [', step 1, member "merchant_answers": Use at least one entry.'],
      [', passo 1, campo "merchant_answers": Use ao menos um item.'],
    ],
    [
      "an answer of 199",
      [{ merchant_answers: [200, 199] }],
      [
        ', step 1, member "merchant_answers.1": Use HTTP statuses from 200, or nothing to close the connection.',
      ],
      [
        ', passo 1, campo "merchant_answers.1": Use status HTTP a partir de 200, ou nothing para fechar a conexão.',
      ],
    ],
    [
      "an answer of 600",
      [{ merchant_answers: [600] }],
      [
        ', step 1, member "merchant_answers.0": Use HTTP statuses from 200, or nothing to close the connection.',
      ],
      [
        ', passo 1, campo "merchant_answers.0": Use status HTTP a partir de 200, ou nothing para fechar a conexão.',
      ],
    ],
    [
      "an answer in words",
      [{ merchant_answers: ["none"] }],
      [
        ', step 1, member "merchant_answers.0": Use HTTP statuses from 200, or nothing to close the connection.',
      ],
      [
        ', passo 1, campo "merchant_answers.0": Use status HTTP a partir de 200, ou nothing para fechar a conexão.',
      ],
    ],
    [
      "a webhook without a type",
      [{ send_webhook: "" }],
      [', step 1, member "send_webhook": The value is empty.'],
      [', passo 1, campo "send_webhook": O valor está vazio.'],
    ],
    [
      "a webhook of nothing",
      [{ send_webhook: "payin.paid", of: "charge" }],
      [
        ', step 1: no earlier step defines a payin or payout with the name "charge".',
        'A step defines a name with "as".',
      ],
      [
        ', passo 1: nenhum passo anterior define um payin ou payout com o nome "charge".',
        'Um passo define um nome com "as".',
      ],
    ],
    [
      "a wrong signature",
      [{ send_webhook: "payin.paid", signature: "bad" }],
      [', step 1, member "signature": Use one of valid, other_bytes, garbage, old.'],
      [', passo 1, campo "signature": Use um destes: valid, other_bytes, garbage, old.'],
    ],
    [
      "a wrong spelling",
      [{ send_webhook: "payin.paid", json: "odd" }],
      [', step 1, member "json": Use one of usual, unusual.'],
      [', passo 1, campo "json": Use um destes: usual, unusual.'],
    ],
    [
      "a wrong reaction",
      [{ send_webhook: "payin.paid", answer: "ok" }],
      [', step 1, member "answer": Use one of accepted, refused.'],
      [', passo 1, campo "answer": Use um destes: accepted, refused.'],
    ],
    [
      "any value in a webhook that is sent",
      [{ send_webhook: "payin.paid", data: { id: "{{any}}" } }],
      [', step 1, member "data": use {{any}} only as a whole expected value.'],
      [', passo 1, campo "data": use {{any}} só como um valor esperado inteiro.'],
    ],
    [
      "a wait for a record of nothing",
      [{ wait_for: "payin.paid", of: "charge" }],
      [
        ', step 1: no earlier step defines a payin or payout with the name "charge".',
        'A step defines a name with "as".',
      ],
      [
        ', passo 1: nenhum passo anterior define um payin ou payout com o nome "charge".',
        'Um passo define um nome com "as".',
      ],
    ],
    [
      "a duration that is a number",
      [{ wait_for: "payin.paid", timeout: 5 }],
      [', step 1, member "timeout": Use a duration, such as 5m.'],
      [', passo 1, campo "timeout": Use uma duração, como 5m.'],
    ],
    [
      "a duration without a unit",
      [{ wait_for: "payin.paid", timeout: "5" }],
      [', step 1, member "timeout": Use a duration, such as 500ms, 30s, 5m, 2h or 1d.'],
      [', passo 1, campo "timeout": Use uma duração, como 500ms, 30s, 5m, 2h ou 1d.'],
    ],
    [
      "a record of nothing",
      [payout, { expect_record: "charge", members: {} }],
      [
        ', step 2: no earlier step defines a payin or payout with the name "charge".',
        "Use one of payout.",
      ],
      [
        ', passo 2: nenhum passo anterior define um payin ou payout com o nome "charge".',
        "Use um destes: payout.",
      ],
    ],
    [
      "no members",
      [charge, { expect_record: "charge" }],
      [', step 2, member "members": The member is required. Use an object.'],
      [', passo 2, campo "members": O campo é obrigatório. Use um objeto.'],
    ],
    [
      "webhooks of nothing",
      [{ expect_webhooks: "charge", are: [] }],
      [
        ', step 1: no earlier step defines a payin or payout with the name "charge".',
        'A step defines a name with "as".',
      ],
      [
        ', passo 1: nenhum passo anterior define um payin ou payout com o nome "charge".',
        'Um passo define um nome com "as".',
      ],
    ],
    [
      "webhooks that are no list",
      [charge, { expect_webhooks: "charge", are: {} }],
      [', step 2, member "are": Use a list.'],
      [', passo 2, campo "are": Use uma lista.'],
    ],
    [
      "a webhook's wrong status",
      [charge, { expect_webhooks: "charge", are: [{ status: "sent" }] }],
      [', step 2, member "are.0.status": Use pending, delivered or failed.'],
      [', passo 2, campo "are.0.status": Use pending, delivered ou failed.'],
    ],
    [
      "a webhook's unknown member",
      [charge, { expect_webhooks: "charge", are: [{ kind: "x" }] }],
      [', step 2: unknown member "are.0.kind".'],
      [', passo 2: campo desconhecido "are.0.kind".'],
    ],
    [
      "a negative count",
      [{ expect_received: -1 }],
      [', step 1, member "expect_received": Use a whole number.'],
      [', passo 1, campo "expect_received": Use um número inteiro.'],
    ],
    [
      "half a count",
      [{ expect_received: 1.5 }],
      [', step 1, member "expect_received": Use a whole number.'],
      [', passo 1, campo "expect_received": Use um número inteiro.'],
    ],
    [
      "a wrong received signature",
      [{ expect_received: 1, signature: "valid" }],
      [', step 1, member "signature": Use holds or fails.'],
      [', passo 1, campo "signature": Use holds ou fails.'],
    ],
    [
      "received webhooks of nothing",
      [{ expect_received: 1, of: "charge" }],
      [
        ', step 1: no earlier step defines a payin or payout with the name "charge".',
        'A step defines a name with "as".',
      ],
      [
        ', passo 1: nenhum passo anterior define um payin ou payout com o nome "charge".',
        'Um passo define um nome com "as".',
      ],
    ],
    [
      "a move of the other noun",
      [charge, payout, { complete: "charge" }],
      [', step 3: no earlier step defines a payout with the name "charge".', "Use one of payout."],
      [
        ', passo 3: nenhum passo anterior define um payout com o nome "charge".',
        "Use um destes: payout.",
      ],
    ],
    [
      "an expired payout",
      [charge, payout, { expire: "payout" }],
      [', step 3: no earlier step defines a payin with the name "payout".', "Use one of charge."],
      [
        ', passo 3: nenhum passo anterior define um payin com o nome "payout".',
        "Use um destes: charge.",
      ],
    ],
    [
      "a cancellation of nothing",
      [charge, payout, { cancel: "other" }],
      [
        ', step 3: no earlier step defines a payin or payout with the name "other".',
        "Use one of charge, payout.",
      ],
      [
        ', passo 3: nenhum passo anterior define um payin ou payout com o nome "other".',
        "Use um destes: charge, payout.",
      ],
    ],
    [
      "a reference to nothing",
      [charge, payout, { create_payin: { description: "{{other.id}}" } }],
      [', step 3: no earlier step defines the name "other".', "Use one of charge, payout."],
      [', passo 3: nenhum passo anterior define o nome "other".', "Use um destes: charge, payout."],
    ],
    [
      "a later response of nothing",
      [charge, { answer_of: "other" }],
      [', step 2: no earlier step defines the name "other".', "Use one of charge."],
      [', passo 2: nenhum passo anterior define o nome "other".', "Use um destes: charge."],
    ],
    [
      "a name that a fault uses",
      [{ fault: "hold", on: "payins.create", as: "charge" }, charge],
      [', step 2, member "as": the name "charge" is in use.', "Use another name in each step."],
      [', passo 2, campo "as": o nome "charge" já está em uso.', "Use outro nome em cada passo."],
    ],
  ])("is refused, in both languages: %s", async (_title, given, english, portuguese) => {
    const refusal = await refusalOf(given);
    expect(refusal.code).toBe("USAGE");
    const [en = "", ...hint] = english;
    expect(inLanguage(refusal, "en")).toEqual([`The scenario story.json${en}`, ...hint]);
    const [pt = "", ...dica] = portuguese;
    expect(inLanguage(refusal, "pt")).toEqual([`O cenário story.json${pt}`, ...dica]);
  });
});
