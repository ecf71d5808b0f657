import { describe, expect, it } from "vitest";
import { defineCommand } from "../../src/cli/definition/define-command.ts";
import { defineList } from "../../src/cli/records/list.ts";
import { flag, freeText, idOf } from "../../src/cli/definition/parameters.ts";
import { PAYINS } from "../../src/cli/commands/payin.ts";
import { say } from "../../src/text/message.ts";

const examples = ["show last"];
const help = say`a text`;

describe("the definition of a command", () => {
  it("compiles only if its arguments and flags fill the route's request, or a function does", () => {
    const defined = [
      defineCommand("show", {
        arguments: { id: idOf("payin") },
        route: "GET /payins/{id}",
        show: ({ qr_code }) => qr_code,
        examples,
      }),
      // @ts-expect-error the request has no such value
      defineCommand("show", {
        arguments: { id: idOf("payin") },
        flags: { loud: flag(help) },
        route: "GET /payins/{id}",
        show: ({ qr_code }) => qr_code,
        examples,
      }),
      defineCommand("show", {
        arguments: { id: idOf("payin") },
        flags: { loud: flag(help) },
        route: "GET /payins/{id}",
        request: ({ id }) => ({ id }),
        show: ({ qr_code }, _run, { loud }) => (loud ? qr_code.toUpperCase() : qr_code),
        examples,
      }),
      defineCommand("show", {
        route: "GET /secret",
        // @ts-expect-error the response has no such member
        show: ({ password }) => String(password),
        examples,
      }),
      defineList("list", {
        summary: help,
        route: "GET /payins",
        // @ts-expect-error no filter of the route
        flags: { color: freeText("text", help) },
        table: PAYINS,
        examples,
      }),
    ];
    expect(defined).toHaveLength(5);
  });
});
