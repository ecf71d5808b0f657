import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./frame/app.tsx";
import { connection, follow } from "./state/live.ts";
import { trace } from "./state/trace.ts";
import { loadLanguages } from "../text/languages.ts";

await loadLanguages();
render(<App />, document.body);
void follow();
if (trace)
  effect(() => {
    // Drawn: components that read the same signal are drawn before a timer.
    if (connection.value === "live")
      setTimeout(() => (document.documentElement.dataset["ready"] = "true"));
  });
