import * as z from "zod";
import { VERSION } from "../../wire/names.ts";
import type { WireAbout } from "../../core/state/wire.ts";
import { SHOW_ABOUT } from "../../core/state/wire-routes.ts";
import { toAnswer } from "../calls/answer.ts";
import { defineRoute } from "../definitions/route.ts";
import { instantWith } from "../schemas/members.ts";
import { TIME } from "../schemas/samples.ts";

const about = z
  .object({
    version: z.string(),
    url: z.string().meta({ description: "The address on this machine." }),
    public_url: z.string().nullable().meta({
      description: "The URL at which others reach the sandbox; null without `--public-url`.",
    }),
    urls: z.array(z.string()).meta({
      description:
        "The addresses at which other machines can open it: the public URL first, then those of the network. Empty if it listens on this machine only.",
    }),
    state_file: z.string().nullable().meta({
      description:
        "The path of a file, or the address of a database without its password. Null if the state is in memory.",
    }),
    explain: z.boolean().meta({
      description: "Whether the header `x-sandbox-assumption` lists defaults too.",
    }),
    magic: z.boolean().meta({ description: "Whether magic values trigger their effects." }),
    protected: z.boolean().meta({ description: "Whether control routes need a control token." }),
    started_at: instantWith({ description: "Real time." }),
    program: z.string().meta({
      description: "The words that start its program in the folder in which it runs.",
    }),
  })
  .meta({
    id: "About",
    description: "A running sandbox: its addresses and its settings.",
    examples: [
      {
        version: VERSION,
        url: "http://127.0.0.1:7490",
        public_url: null,
        urls: ["http://192.168.0.10:7490"],
        state_file: "/home/maria/shop/.pix-sandbox/state.json",
        explain: false,
        magic: false,
        protected: false,
        started_at: TIME,
        program: "npx pix-sandbox",
      },
    ],
  }) satisfies z.ZodType<WireAbout>;

export const routes = [
  defineRoute({
    at: SHOW_ABOUT,
    id: "showAbout",
    tag: "Sandbox",
    summary: "Shows the sandbox's version, its addresses and its settings.",
    answer: about,
    handle: async (_call, context) => toAnswer(context.about()),
  }),
];
