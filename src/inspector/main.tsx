import { render } from "preact";
import { App } from "./frame/app.tsx";
import { follow } from "./state/live.ts";

render(<App />, document.body);
void follow();
