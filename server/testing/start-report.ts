import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

import type { ChildMessage } from "#server/processes/run-process.ts";

/** How a process of the appliance started: its first message other than `alive`. */
export async function startReport(child: ChildProcess): Promise<ChildMessage> {
  for (;;) {
    const [message] = (await once(child, "message")) as [ChildMessage];
    if (message.type !== "alive") return message;
  }
}
