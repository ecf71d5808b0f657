// The part of jest's types that the entry for jest uses. The package itself is installed under test/long,
// whose projects compile the entry against jest's real types.

declare module "@jest/globals" {
  export function afterEach(run: () => Promise<void>): void;
  export const expect: {
    getState(): { readonly currentTestName?: string; readonly testPath?: string };
    extend(
      matchers: Record<
        string,
        (
          this: { readonly isNot?: boolean },
          received: unknown,
          ...expected: never[]
        ) => Promise<{ readonly pass: boolean; message(): string }>
      >,
    ): void;
  };
}

declare module "expect" {
  // oxlint-disable-next-line no-unused-vars -- An interface that is merged has the same parameters.
  interface Matchers<R extends void | Promise<void>, T> {}
}
