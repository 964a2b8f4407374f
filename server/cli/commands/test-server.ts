import { type Command, InvalidArgumentError } from "commander";

type Options = { domain: string[]; port?: number };

export function addTestServerCommand(program: Command): void {
  program
    .command("test-server")
    .description(
      "run a temporary instance for automated tests until stopped, and print its URL and a test key as JSON",
    )
    .option(
      "--domain <name>",
      "a domain to send from; repeat it for more",
      (name: string, names: string[]) => [...names, name],
      [],
    )
    .option("--port <port>", "port of the API and the console (default: a free one)", readPort)
    .action(async ({ domain: domains, port }: Options) => {
      const { runTestServer } = await import("#server/cli/test-server/run-test-server.ts");
      await runTestServer({ domains, port });
    });
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError("must be a port number from 1 to 65535");
  return port;
}
