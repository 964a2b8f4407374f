import { open } from "node:fs/promises";

/** Makes changes of the names in a folder durable: files that were created, renamed or deleted. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
