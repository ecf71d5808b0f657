// The part of mocha's and bun's types that their entries use. The packages are installed under test/long.

declare module "mocha" {
  type Hook = (run: (this: { timeout(ms: number): void }) => Promise<void> | void) => void;
  export const before: Hook;
  export const beforeEach: Hook;
  export const after: Hook;
}

declare module "bun:test" {
  type Hook = (run: () => Promise<void> | void) => void;
  export const beforeAll: Hook;
  export const beforeEach: Hook;
  export const afterAll: Hook;
}
