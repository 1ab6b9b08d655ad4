// What the mailing of notices works with; wiring.ts brings the real ones.
import type { NotificationDependencies } from "../../domain/notices/notification.ts";

export type NotifyDependencies = NotificationDependencies;
