import { Skeleton, Stack } from "@mantine/core";

import { Panel } from "#app/console/ui/panel.tsx";

const FACTS = 7;

export function ApiKeySkeleton() {
  return (
    <>
      <Skeleton height={20} width="30%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <Panel>
        <Stack gap={20}>
          {Array.from({ length: FACTS }, (_, line) => (
            <Skeleton key={line} height={12} width={`${30 + ((line * 17) % 30)}%`} />
          ))}
        </Stack>
      </Panel>
    </>
  );
}
