import { Skeleton, Stack } from "@mantine/core";

import { Panel, SideBySide } from "#app/console/ui/panel.tsx";

/** The fewest lines that each panel can have. */
const LINES = { recipients: 2, details: 6, timeline: 3 };
const PREVIEW_HEIGHT = 560;

export function EmailSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <SideBySide
        side={
          <>
            <Panel>
              <PanelSkeleton count={LINES.recipients} />
            </Panel>
            <Panel>
              <PanelSkeleton count={LINES.details} />
            </Panel>
            <Panel>
              <PanelSkeleton count={LINES.timeline} />
            </Panel>
          </>
        }
      >
        <Panel>
          <Skeleton height={12} width="40%" mb="lg" />
          <Skeleton height={PREVIEW_HEIGHT} />
        </Panel>
      </SideBySide>
    </>
  );
}

function PanelSkeleton({ count }: { count: number }) {
  return (
    <Stack gap={20}>
      {Array.from({ length: count }, (_, line) => (
        <Skeleton key={line} height={12} width={`${50 + ((line * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}
