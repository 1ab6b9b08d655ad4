// A call that waits for its budget occupies a function while it waits. Each tenant has a room with so many places, and no
// tenant's waiting calls take a place from another's.
export interface WaitingRoom {
  /** False if the tenant's room is full. @param until when the place is free again at the latest, in milliseconds */
  enter(tenantId: string, requestId: string, until: number): Promise<boolean>;
  leave(tenantId: string, requestId: string): Promise<void>;
}
