// The modules of prom-client that are bundled. Its main module would load OpenTelemetry, a push gateway and a cluster too.

declare module "prom-client/lib/defaultMetrics.js" {
  export { collectDefaultMetrics as default } from "prom-client";
}
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
