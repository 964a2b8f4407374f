/** A random UUID (RFC 9562, version 4). Browsers have `crypto.randomUUID` only over HTTPS. */
export function randomUuid(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16));
  octets[6] = (octets[6]! & 0x0f) | 0x40;
  octets[8] = (octets[8]! & 0x3f) | 0x80;
  const hex = Array.from(octets, (octet) => octet.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
