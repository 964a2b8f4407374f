import { ConsoleError } from "#app/console/console-client.ts";
import { formatBytes } from "#app/console/ui/format.ts";

import type { AttachedFile } from "./compose-values.ts";

/** Limits of an email's attachments. The server checks them, too. */
export const FILES_BYTES_MAX = 20 * 1024 * 1024;
export const FILES_MAX = 20;

/** What is wrong with the number or size of the files. */
export function attachmentProblem(files: Pick<File, "size">[]): string | null {
  if (files.length > FILES_MAX)
    return `An email can have at most ${FILES_MAX} attachments. Remove some.`;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return size > FILES_BYTES_MAX
    ? `Attachments can have at most ${formatBytes(FILES_BYTES_MAX)} in total. Remove some.`
    : null;
}

/**
 * Files as the API takes them: in base64.
 *
 * @throws ConsoleError about the field `attachments`, if they are too large or can't be read
 */
export async function readFiles(files: File[]): Promise<AttachedFile[]> {
  const problem = attachmentProblem(files);
  if (problem !== null) throw attachmentsError(problem);
  return Promise.all(
    files.map(async (file) => ({ filename: file.name, content: await toBase64(file) })),
  );
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = reader.result as string;
      // "data:text/plain;base64,SGVsbG8="
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () =>
      reject(attachmentsError(`Couldn’t read ${file.name}. Remove it and attach it again.`));
    reader.readAsDataURL(file);
  });
}

const attachmentsError = (message: string) =>
  new ConsoleError("invalid", message, { status: 422, headers: new Headers() }, [
    { path: "attachments", code: "invalid", message },
  ]);
