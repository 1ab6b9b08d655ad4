// Who waits for the budget's turn occupies a function while it does. How many may, in the whole account, is bounded.
export interface WaitingRoom {
  /** False if it is full. @param until when the place is free again at the latest, in milliseconds */
  enter(requestId: string, until: number): Promise<boolean>;
  leave(requestId: string): Promise<void>;
}
