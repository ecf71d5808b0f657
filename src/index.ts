export {
  type FaultFixture,
  type Fixtures,
  type PayinFixture,
  type PayoutFixture,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from "./sandbox.ts";
