import { Skeleton, Stack } from "@mantine/core";

export function CompanySkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={28} width={260} />
      <Skeleton height={200} />
      <Skeleton height={260} />
    </Stack>
  );
}
