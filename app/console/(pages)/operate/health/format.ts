const STEPS: [unit: string, seconds: number][] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
];

/** "3 d", "12 min", "40 s" */
export function formatDuration(seconds: number): string {
  const step = STEPS.find(([, size]) => seconds >= size);
  return step ? `${Math.floor(seconds / step[1])} ${step[0]}` : `${Math.round(seconds)} s`;
}
