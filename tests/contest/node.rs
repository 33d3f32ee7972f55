//! What a runner knows of its machine.

use std::path::Path;

use referee_contest::node::room;

#[test]
fn too_little_room_on_a_disk_is_told_in_mebibytes() {
    assert_eq!(room(Path::new("/"), 0), Ok(()));
    assert!(
        room(Path::new("/"), 1 << 60)
            .is_err_and(|why| why.ends_with(" MiB are free, 1099511627776 MiB are needed"))
    );
}
