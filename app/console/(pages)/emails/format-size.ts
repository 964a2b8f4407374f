const UNITS: [unit: string, size: number][] = [
  ["MB", 1024 * 1024],
  ["KB", 1024],
];

/** "12.4 KB" */
export function formatSize(octets: number): string {
  const [unit, size] = UNITS.find(([, size]) => octets >= size) ?? ["bytes", 1];
  return `${size === 1 ? octets : (octets / size).toFixed(1)} ${unit}`;
}
