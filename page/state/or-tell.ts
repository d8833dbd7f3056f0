import { messageOf } from '../api/holdfast.ts';
import { tell } from './notices.ts';

/** Runs an action. Returns false if it fails, and then tells the reason. */
export async function orTell(action: () => Promise<void>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    tell('problem', messageOf(error));
    return false;
  }
}
