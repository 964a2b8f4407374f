const WARN = 40;

/**
 * The log line that replaces lines that could not be written.
 *
 * @param name of the process, where no reader of the line knows it
 */
export const droppedLinesEntry = (count: number, name?: string) =>
  JSON.stringify({
    ...{ name, level: WARN, time: Date.now() },
    msg: `${count} log ${count === 1 ? "line was" : "lines were"} dropped because the log could not be written`,
  });
