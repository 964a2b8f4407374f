import { Skeleton } from "@mantine/core";

import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./email.module.css";

export function EmailSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <div className={classes.sections}>
        <div className={classes.side}>
          {[240, 160].map((height) => (
            <Panel key={height}>
              <Skeleton height={height} />
            </Panel>
          ))}
        </div>
        <Panel>
          <Skeleton height={440} />
        </Panel>
      </div>
    </>
  );
}
