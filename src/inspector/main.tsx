import { render } from "preact";
import { App } from "./frame/app.tsx";
import { follow } from "./state/live.ts";
import { loadLanguages } from "../text/languages.ts";

await loadLanguages();
render(<App />, document.body);
void follow();
