import { Skeleton, Stack } from "@mantine/core";

/** What stands for lines that are on their way; as high as `count` facts. */
export function SkeletonLines({ count }: { count: number }) {
  return (
    <Stack gap={20}>
      {Array.from({ length: count }, (_, line) => (
        <Skeleton key={line} height={12} width={`${30 + ((line * 17) % 30)}%`} />
      ))}
    </Stack>
  );
}
