/** Answers a message of the Model Context Protocol about the sandbox at an address. */
export type AnswerTools = (
  message: unknown,
  url: string,
  controlToken: string | undefined,
) => Promise<object | undefined>;
