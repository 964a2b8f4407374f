import { type Command, InvalidArgumentError } from "commander";

type Given = {
  follow?: boolean;
  email?: string;
  process?: string[];
  lines: number;
  json?: boolean;
};

export function addLogsCommand(program: Command): void {
  program
    .command("logs")
    .description("show the logs of the appliance, or everything about one email")
    .option("-f, --follow", "keep showing new lines until Ctrl-C")
    .option("--email <id>", "only this email: its events, and the log lines that contain its ID")
    .option("--process <name...>", "only these processes: web, worker, mail, postgres")
    .option("-n, --lines <number>", "number of recent lines to show first", readLines, 200)
    .option("--json", "print JSON (the default if the output isn't a terminal)")
    .action(async ({ follow, email, process: processes, lines, json }: Given) => {
      const { showLogs } = await import("#server/cli/logs/show-logs.ts");
      const { findLogSource } = await import("#server/cli/logs/log-source.ts");
      const { config } = await import("#server/config.ts");
      const stopping = new AbortController();
      process.once("SIGINT", () => stopping.abort());
      // The reader of a pipe, such as `head`, is gone.
      process.stdout.once("error", () => stopping.abort());
      await showLogs(
        {
          follow: follow ?? false,
          email: email ?? null,
          processes: processes ?? null,
          lines,
          json: json ?? !process.stdout.isTTY,
        },
        {
          print: (line) => console.log(line),
          signal: stopping.signal,
          source: findLogSource(config().dataFolder),
        },
      );
    });
}

function readLines(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("Must be a whole number.");
  return Number(text);
}
