import { VERBS } from "../../../src/play/scenario/scenario.ts";

const charge = { create_payin: {}, as: "charge" };
const payout = { create_payout: {}, as: "payout" };

/** Scenario files that are refused: what is wrong, the file or its steps, and the parts of the refusal. */
export const REFUSED: readonly (readonly [
  title: string,
  given: unknown,
  refusal: readonly string[],
])[] = [
  ["a list", [], [": Use a JSON object."]],
  [
    "an empty description",
    { about: " ", steps: [{ settle: true }] },
    [', member "about": The value is empty.'],
  ],
  [
    "a number as description",
    { about: 1, steps: [{ settle: true }] },
    [', member "about": Use a string.'],
  ],
  [
    "a description in one language",
    { about: { en: "x" }, steps: [{ settle: true }] },
    [', member "about": Use a string.'],
  ],
  ["steps that are no list", { about: "x", steps: {} }, [', member "steps": Use a list of steps.']],
  ["a step that is no object", { about: "x", steps: [1] }, [', member "steps.0": Use an object.']],
  [
    "an empty step",
    [{}],
    [
      ", step 1: the step has no action; its members are none.",
      `Give each step one of ${VERBS.join(", ")}.`,
    ],
  ],
  [
    "several unknown actions",
    [{ pays: "x", says: "y" }],
    [
      ', step 1: the step has no action; its members are "pays", "says".',
      `Give each step one of ${VERBS.join(", ")}.`,
    ],
  ],
  [
    "a name with a blank",
    [{ ...charge, as: "a b" }],
    [', step 1, member "as": Use a name of letters, digits and underscores.'],
  ],
  [
    "a name that starts with a digit",
    [{ ...charge, as: "1a" }],
    [', step 1, member "as": Use a name of letters, digits and underscores.'],
  ],
  ["a name that is a number", [{ pay: 1 }], [', step 1, member "pay": Use a name.']],
  [
    "a reserved name",
    [{ ...charge, as: "merchant" }],
    [', step 1, member "as": the name "merchant" is in use.', "Use another name in each step."],
  ],
  [
    "the name of any value",
    [{ ...charge, as: "any" }],
    [', step 1, member "as": the name "any" is in use.', "Use another name in each step."],
  ],
  ["an empty key", [{ ...charge, key: "" }], [', step 1, member "key": The value is empty.']],
  ["a key that is a number", [{ ...charge, key: 1 }], [', step 1, member "key": Use a string.']],
  ["an empty says", [{ settle: true, says: "" }], [', step 1, member "says": The value is empty.']],
  [
    "a wrong only",
    [{ settle: true, only: "own" }],
    [', step 1, member "only": Use one of own_handler.'],
  ],
  [
    "members that are a list",
    [{ create_payin: [] }],
    [', step 1, member "create_payin": Use an object.'],
  ],
  ["later that is false", [{ ...charge, later: false }], [', step 1, member "later": Use true.']],
  [
    "later without a name",
    [{ create_payin: {}, later: true }],
    [
      ', step 1, member "later": the response comes later.',
      "Name the step with as, and expect its response in a step answer_of.",
    ],
  ],
  [
    "later with a response",
    [{ ...charge, later: true, answer: {} }],
    [
      ', step 1, member "later": the response comes later.',
      "Name the step with as, and expect its response in a step answer_of.",
    ],
  ],
  [
    "an answer that is a number",
    [{ ...charge, answer: 200 }],
    [', step 1, member "answer": Use an object.'],
  ],
  [
    "an answer's status that is too low",
    [{ ...charge, answer: { status: 99 } }],
    [', step 1, member "answer.status": Use an HTTP status.'],
  ],
  [
    "an answer's status that is too high",
    [{ ...charge, answer: { status: 600 } }],
    [', step 1, member "answer.status": Use an HTTP status.'],
  ],
  [
    "an answer's status that is a text",
    [{ ...charge, answer: { status: "200" } }],
    [', step 1, member "answer.status": Use an HTTP status.'],
  ],
  [
    "an answer's empty code",
    [{ ...charge, answer: { code: "" } }],
    [', step 1, member "answer.code": The value is empty.'],
  ],
  [
    "an answer's headers",
    [{ ...charge, answer: { headers: "none" } }],
    [', step 1, member "answer.headers": Use an object.'],
  ],
  [
    "an answer's body",
    [{ ...charge, answer: { body: [] } }],
    [', step 1, member "answer.body": Use an object.'],
  ],
  [
    "an answer that is not lost",
    [{ ...charge, answer: { lost: false } }],
    [', step 1, member "answer.lost": Use true.'],
  ],
  [
    "a simulated status",
    [charge, { simulate: "charge", status: "paid" }],
    [', step 2, member "status": Use completed or canceled.'],
  ],
  [
    "a simulation of nothing",
    [{ simulate: "charge" }],
    [
      ', step 1: no earlier step defines a payin or payout with the name "charge".',
      'A step defines a name with "as".',
    ],
  ],
  ["a call that is a number", [{ call: 1 }], [', step 1, member "call": Use a method and a path.']],
  [
    "a method that does not exist",
    [{ call: "HEAD /v1/payins" }],
    [', step 1, member "call": Use a method and a path, such as PUT /v1/webhooks.'],
  ],
  [
    "headers that are a list",
    [{ call: "GET /v1/webhooks", headers: [] }],
    [', step 1, member "headers": Use an object.'],
  ],
  [
    "an empty header",
    [{ call: "GET /v1/webhooks", headers: { x: "" } }],
    [', step 1, member "headers.x": The value is empty.'],
  ],
  ["a clock that is a number", [{ clock: 5 }], [', step 1, member "clock": Use a string.']],
  [
    "a clock without a time",
    [{ clock: "set " }],
    [
      ', step 1, member "clock": Use freeze, resume, advance with a duration such as 5m, or set with a time.',
    ],
  ],
  ["no fault", [{ fault: "", on: "webhook" }], [', step 1, member "fault": The value is empty.']],
  [
    "an effect on calls for webhooks",
    [{ fault: "hold", on: "webhook" }],
    [
      ', step 1, member "fault": fault must be one of duplicate, duplicate_at_once, delay_ms=N (1 to 31622400000), reorder, drop_attempts=N (1 to 100), bad_signature, early.',
    ],
  ],
  [
    "no times",
    [{ fault: "hold", on: "payins.create", times: 0 }],
    [', step 1, member "times": Use 1 or more.'],
  ],
  [
    "half a time",
    [{ fault: "hold", on: "payins.create", times: 1.5 }],
    [', step 1, member "times": Use a whole number.'],
  ],
  [
    "a probability above 1",
    [{ fault: "hold", on: "payins.create", probability: 1.1 }],
    [', step 1, member "probability": Use a number from 0 to 1.'],
  ],
  [
    "a probability below 0",
    [{ fault: "hold", on: "payins.create", probability: -0.1 }],
    [', step 1, member "probability": Use a number from 0 to 1.'],
  ],
  [
    "a probability that is a text",
    [{ fault: "hold", on: "payins.create", probability: "1" }],
    [', step 1, member "probability": Use a number from 0 to 1.'],
  ],
  [
    "a match that is a text",
    [{ fault: "hold", on: "payins.create", match: "x" }],
    [', step 1, member "match": Use an object.'],
  ],
  [
    "a release of a payin",
    [charge, { release: "charge" }],
    [
      ', step 2: no earlier step defines a fault with the name "charge".',
      'A step defines a name with "as".',
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
  ],
  ["a cleared fault", [{ clear_faults: 1 }], [', step 1, member "clear_faults": Use true.']],
  [
    "answers that are no list",
    [{ merchant_answers: 200 }],
    [', step 1, member "merchant_answers": Use a list.'],
  ],
  [
    "no answers",
    [{ merchant_answers: [] }],
    [', step 1, member "merchant_answers": Use at least one entry.'],
  ],
  [
    "an answer of 199",
    [{ merchant_answers: [200, 199] }],
    [
      ', step 1, member "merchant_answers.1": Use HTTP statuses from 200, or nothing to close the connection.',
    ],
  ],
  [
    "an answer of 600",
    [{ merchant_answers: [600] }],
    [
      ', step 1, member "merchant_answers.0": Use HTTP statuses from 200, or nothing to close the connection.',
    ],
  ],
  [
    "an answer in words",
    [{ merchant_answers: ["none"] }],
    [
      ', step 1, member "merchant_answers.0": Use HTTP statuses from 200, or nothing to close the connection.',
    ],
  ],
  [
    "a webhook without a type",
    [{ send_webhook: "" }],
    [', step 1, member "send_webhook": The value is empty.'],
  ],
  [
    "a webhook of nothing",
    [{ send_webhook: "payin.paid", of: "charge" }],
    [
      ', step 1: no earlier step defines a payin or payout with the name "charge".',
      'A step defines a name with "as".',
    ],
  ],
  [
    "a wrong signature",
    [{ send_webhook: "payin.paid", signature: "bad" }],
    [', step 1, member "signature": Use one of valid, other_bytes, garbage, old.'],
  ],
  [
    "a wrong spelling",
    [{ send_webhook: "payin.paid", json: "odd" }],
    [', step 1, member "json": Use one of usual, unusual.'],
  ],
  [
    "a wrong reaction",
    [{ send_webhook: "payin.paid", answer: "ok" }],
    [', step 1, member "answer": Use one of accepted, refused.'],
  ],
  [
    "any value in a webhook that is sent",
    [{ send_webhook: "payin.paid", data: { id: "{{any}}" } }],
    [', step 1, member "data": use {{any}} only as a whole expected value.'],
  ],
  [
    "a wait for a record of nothing",
    [{ wait_for: "payin.paid", of: "charge" }],
    [
      ', step 1: no earlier step defines a payin or payout with the name "charge".',
      'A step defines a name with "as".',
    ],
  ],
  [
    "a duration that is a number",
    [{ wait_for: "payin.paid", timeout: 5 }],
    [', step 1, member "timeout": Use a duration, such as 5m.'],
  ],
  [
    "a duration without a unit",
    [{ wait_for: "payin.paid", timeout: "5" }],
    [', step 1, member "timeout": Use a duration, such as 500ms, 30s, 5m, 2h or 1d.'],
  ],
  [
    "a record of nothing",
    [payout, { expect_record: "charge", members: {} }],
    [
      ', step 2: no earlier step defines a payin or payout with the name "charge".',
      "Use one of payout.",
    ],
  ],
  [
    "no members",
    [charge, { expect_record: "charge" }],
    [', step 2, member "members": The member is required. Use an object.'],
  ],
  [
    "webhooks of nothing",
    [{ expect_webhooks: "charge", are: [] }],
    [
      ', step 1: no earlier step defines a payin or payout with the name "charge".',
      'A step defines a name with "as".',
    ],
  ],
  [
    "webhooks that are no list",
    [charge, { expect_webhooks: "charge", are: {} }],
    [', step 2, member "are": Use a list.'],
  ],
  [
    "a webhook's wrong status",
    [charge, { expect_webhooks: "charge", are: [{ status: "sent" }] }],
    [', step 2, member "are.0.status": Use pending, delivered or failed.'],
  ],
  [
    "a webhook's unknown member",
    [charge, { expect_webhooks: "charge", are: [{ kind: "x" }] }],
    [', step 2: unknown member "are.0.kind".'],
  ],
  [
    "a negative count",
    [{ expect_received: -1 }],
    [', step 1, member "expect_received": Use a whole number.'],
  ],
  [
    "half a count",
    [{ expect_received: 1.5 }],
    [', step 1, member "expect_received": Use a whole number.'],
  ],
  [
    "a wrong received signature",
    [{ expect_received: 1, signature: "valid" }],
    [', step 1, member "signature": Use holds or fails.'],
  ],
  [
    "received webhooks of nothing",
    [{ expect_received: 1, of: "charge" }],
    [
      ', step 1: no earlier step defines a payin or payout with the name "charge".',
      'A step defines a name with "as".',
    ],
  ],
  [
    "a move of the other noun",
    [charge, payout, { complete: "charge" }],
    [', step 3: no earlier step defines a payout with the name "charge".', "Use one of payout."],
  ],
  [
    "an expired payout",
    [charge, payout, { expire: "payout" }],
    [', step 3: no earlier step defines a payin with the name "payout".', "Use one of charge."],
  ],
  [
    "a cancellation of nothing",
    [charge, payout, { cancel: "other" }],
    [
      ', step 3: no earlier step defines a payin or payout with the name "other".',
      "Use one of charge, payout.",
    ],
  ],
  [
    "a reference to nothing",
    [charge, payout, { create_payin: { description: "{{other.id}}" } }],
    [', step 3: no earlier step defines the name "other".', "Use one of charge, payout."],
  ],
  [
    "a later response of nothing",
    [charge, { answer_of: "other" }],
    [', step 2: no earlier step defines the name "other".', "Use one of charge."],
  ],
  [
    "a name that a fault uses",
    [{ fault: "hold", on: "payins.create", as: "charge" }, charge],
    [', step 2, member "as": the name "charge" is in use.', "Use another name in each step."],
  ],
];
