// Stands for the bundle of the door, which a template knows by its hash alone.
module.exports = {};
