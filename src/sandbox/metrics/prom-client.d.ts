// The module of prom-client that is bundled. Its main module would load OpenTelemetry, a push gateway and a cluster too.

declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
