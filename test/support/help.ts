/** The names of the commands that a help in English lists. */
export function commandsIn(help: string): string[] {
  const blocks = help.split("\n\n").filter((block) => !/^(?:Examples|Arguments):/.test(block));
  return blocks.flatMap((block) =>
    [...block.matchAll(/^ {2}([a-z][a-z.-]*)(?: |$)/gm)].map(([, name]) => name ?? ""),
  );
}
