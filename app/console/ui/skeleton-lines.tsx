import { Skeleton, Stack } from "@mantine/core";

/** A placeholder as high as `count` lines of a description list. */
export function SkeletonLines({ count }: { count: number }) {
  return (
    <Stack gap={20}>
      {Array.from({ length: count }, (_, line) => (
        <Skeleton key={line} height={12} width={`${30 + ((line * 17) % 30)}%`} />
      ))}
    </Stack>
  );
}
