const WARN = 40;

/**
 * The log line that stands in for dropped lines.
 *
 * @param name of the process, if the log doesn't already imply it
 */
export const droppedLinesEntry = (count: number, name?: string) =>
  JSON.stringify({
    ...{ name, level: WARN, time: Date.now() },
    msg: `${count} log ${count === 1 ? "line was" : "lines were"} dropped because the log could not be written`,
  });
