import { Skeleton, Stack } from "@mantine/core";

import { Panel } from "#app/console/ui/panel.tsx";

const LINES = 8;

export function DomainSkeleton() {
  return (
    <>
      <Skeleton height={20} width="min(320px, 60%)" mt={4} mb={8} />
      <Skeleton height={12} width={96} mb={32} />
      <Panel>
        <Skeleton height={14} width={140} mb="xl" />
        <Stack gap={28}>
          {Array.from({ length: LINES }, (_, line) => (
            <Skeleton key={line} height={12} width={`${55 + ((line * 17) % 40)}%`} />
          ))}
        </Stack>
      </Panel>
    </>
  );
}
