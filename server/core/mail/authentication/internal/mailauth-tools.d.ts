/** mailauth's package has no types for it. */
declare module "mailauth/lib/tools.js" {
  /** The header as mailauth's other functions take it. */
  export function parseHeaders(header: Buffer): { parsed: unknown[]; original: Buffer };
}
