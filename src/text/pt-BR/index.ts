import cli from "./cli.ts";
import core from "./core.ts";
import demo from "./demo.ts";
import fidelity from "./fidelity.ts";
import http from "./http.ts";
import inspector from "./inspector.ts";
import play from "./play.ts";
import review from "./review.ts";
import server from "./server.ts";
import shared from "./shared.ts";
import store from "./store.ts";
import text from "./text.ts";
import webhookDiagnosis from "./webhook-diagnosis.ts";
import wire from "./wire.ts";

/** Every text in Portuguese, by its English template. One file holds the texts of one room. */
export const ROOMS = {
  cli,
  core,
  demo,
  fidelity,
  http,
  inspector,
  play,
  review,
  server,
  shared,
  store,
  text,
  "webhook-diagnosis": webhookDiagnosis,
  wire,
};

export default Object.assign({}, ...Object.values(ROOMS));
