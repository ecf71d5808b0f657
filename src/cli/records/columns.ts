import { toMoney } from "../terminal/numbers.ts";
import { localize } from "../terminal/language.ts";
import { type Column, toTableTime } from "../terminal/table.ts";
import { say } from "../../text/message.ts";

/** An id, of which a terminal shows the beginning. */
export const ID: Column<{ readonly id: string }> = {
  title: "ID",
  text: ({ id }) => id,
  isId: true,
};

export const STATUS: Column<{ readonly status: string }> = {
  title: "STATUS",
  text: ({ status }) => status,
};

export const VALUE: Column<{ readonly value: number }> = {
  title: say`VALUE`,
  text: ({ value }) => toMoney(value),
};

export const CREATED: Column<{ readonly created_at: string }> = {
  title: say`CREATED`,
  text: ({ created_at }, look) => toTableTime(created_at, look),
};

/** An integration; null means all. */
export const INTEGRATION: Column<{ readonly integration: string | null }> = {
  title: say`INTEGRATION`,
  text: ({ integration }) => integration ?? localize(say`all`),
  least: 8,
};
