/** Saves octets as a file of the reader's; nothing of it is opened. */
export function saveFile(name: string, octets: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([octets], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** The octets of a text of which each character is one. */
export const octetsOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
