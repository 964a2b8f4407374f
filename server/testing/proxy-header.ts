/** A PROXY header of version 2. */
export function proxyHeaderV2({
  command = 0x21,
  family = 0x11,
  addresses = [198, 51, 100, 7, 192, 0, 2, 1, 0x9c, 0x40, 0, 25],
  more = 0,
}: { command?: number; family?: number; addresses?: number[]; more?: number } = {}): Buffer {
  const rest = Buffer.concat([Buffer.from(addresses), Buffer.alloc(more, 4)]);
  const fixed = Buffer.from("\r\n\r\n\0\r\nQUIT\n????", "latin1");
  fixed.set([command, family, rest.length >> 8, rest.length & 255], 12);
  return Buffer.concat([fixed, rest]);
}
