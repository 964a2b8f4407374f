const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** "12.4 MB", in powers of 1,024. */
export function formatBytes(bytes: number): string {
  const at = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** at;
  return `${new Intl.NumberFormat("en", { maximumFractionDigits: value < 100 && at > 0 ? 1 : 0 }).format(value)} ${UNITS[at]!}`;
}
